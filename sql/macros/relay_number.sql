-- relay_number(relay_id): the number in an id of the store's form, null for an id of another form.
create or replace macro relay_number(relay_id) as (
    case
        when starts_with(relay_id, relay_prefix())
            and length(relay_id) = length(relay_prefix()) + relay_digits()
            and regexp_full_match(substr(relay_id, length(relay_prefix()) + 1), '[0-9]+')
            then cast(substr(relay_id, length(relay_prefix()) + 1) as bigint)
    end
);
