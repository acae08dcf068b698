-- relay_id_of(number): the id of a number in the store's form; null stays null.
create or replace macro relay_id_of(number) as (
    relay_prefix() || lpad(cast(number as varchar), relay_digits(), '0')
);
