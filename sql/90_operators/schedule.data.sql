select cron.schedule('corredor-drain', '* * * * *', 'select private.kick_drain()');
select cron.schedule('corredor-clean-up', '17 3 * * *', 'select private.clean_up()');
select cron.schedule('corredor-intake', '* * * * *', 'select private.kick_intake()');
select cron.schedule('corredor-compare-contacts', '* * * * *', 'select private.compare_contacts()');
