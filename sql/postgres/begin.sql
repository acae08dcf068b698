-- PostgreSQL. How the one transaction of a publish runs: it sees what a publish before it committed,
-- quotes as the standard says, and does not wait for ever behind a lock.
set transaction isolation level read committed, read write;
set local client_min_messages = error;
set local client_encoding = 'UTF8';
set local standard_conforming_strings = on;
select set_config('lock_timeout', '5min', true) where current_setting('lock_timeout') = '0';
