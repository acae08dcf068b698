-- The relays of the self-contained copy, without their bytes. See extract.sql.
create table extract.relays as select * exclude (record) from relays order by relay_id;
