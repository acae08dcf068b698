-- uid_of(text): the UUID (RFC 9562 version 8) that the md5 of a text gives; names.py has its twin.
create or replace macro uid_of(text) as (
    cast(
        substr(md5(text), 1, 12) || '8' || substr(md5(text), 14, 3) || 'a' || substr(md5(text), 18)
        as uuid
    )
);
