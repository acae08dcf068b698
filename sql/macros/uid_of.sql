-- uid_of(text): the UUID (RFC 9562 version 8) made of the md5 of a text, its bytes read as one
-- little-endian number (as md5_number does), the version digit set to 8 and the variant digit to a.
-- rules/names.py has its twin.
create or replace macro uid_of(text) as (
    cast(
        (md5_number(text) & cast('340282366920937330078124896147814219775' as uhugeint))
        | cast('604474439022360655822848' as uhugeint)
        as uuid
    )
);
