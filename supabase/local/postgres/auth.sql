-- Who may see what of Auth on a hosted project: the helpers are for everybody, the tables for postgres.
grant usage on schema auth to postgres, anon, authenticated, service_role;
grant all on all tables in schema auth to postgres with grant option;
grant all on all sequences in schema auth to postgres with grant option;
grant execute on function auth.uid(), auth.role(), auth.email(), auth.jwt()
  to postgres, anon, authenticated, service_role;
