-- DuckDB. What PostgreSQL can hold of a value: storable_text and storable_texts, whose NULs become the
-- sign for NUL (U+2400), and storable_json for a JSON text, which becomes one JSON string as a whole
-- where a jsonb refuses it: it holds the escape of a NUL, or a number of 1,000 digits or more.
create or replace temp macro storable_text(value) as replace(value, chr(0), '␀');
create or replace temp macro storable_texts(value) as
    list_transform(value, lambda x: storable_text(x));
create or replace temp macro long_number(value) as
    regexp_matches(value, 'e-?[0-9][0-9][0-9][0-9]|' || repeat('[0-9]', 1000));
create or replace temp macro storable_json(value) as
    case
        when (contains(value, '\u0000') and contains(replace(value, '\\', ''), '\u0000'))
            or (
                long_number(value)
                and long_number(regexp_replace(value, '"(\\.|[^"\\])*"', '', 'g'))
            )
            then cast(to_json(value) as varchar)
        else value
    end;
