-- What is known of one id. Columns: state (PRESENT, KNOWN_MISSING, UNKNOWN).
select
    case
        when exists (select 1 from relays_files where relay_id = $relay_id) then 'PRESENT'
        when exists (
            select 1 from relays_files
            where parent = $relay_id or list_contains(refs, $relay_id)
        ) then 'KNOWN_MISSING'
        else 'UNKNOWN'
    end as state
