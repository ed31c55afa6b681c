-- How a person wrote a phone or an e-mail is no reason to lose their lead: what can be read is stored in its normal form,
-- all else as it came. Only the normal forms find a contact. PL/pgSQL, because its plans are kept for the session.
create function private.is_e164(phone text) returns boolean
language plpgsql immutable parallel safe set search_path = ''
as $$
begin
  -- That a number can exist is known only roughly here: Spain's have nine digits and begin with 5 to 9, and no country
  -- begins with the others. Two expressions, because looking ahead is slow and most numbers are Spain's. The functions know the plans of all countries, and send what they could read in this form.
  return phone ~ '^\+34[5-9][0-9]{8}$' or phone ~ '^\+(?!0|28|34|83|89|99[0179])[0-9]{7,15}$';
end
$$;
comment on function private.is_e164(text) is 'Whether a phone is in E.164, for example +34600111222, and may exist.';
grant execute on function private.is_e164(text) to anon, authenticated;

create function private.is_email(email text) returns boolean
language plpgsql immutable parallel safe set search_path = ''
as $$
begin
  -- Looked at four times with each lead: what the dots must not do is no part of the expression, because looking ahead
  -- is slow.
  return char_length(email) <= 254 and left(email, 1) <> '.' and strpos(email, '..') = 0
    and email ~ '^[a-z0-9_''+.-]*[a-z0-9_+-]@([a-z0-9][a-z0-9-]*\.)+[a-z]{2,}$';
end
$$;
comment on function private.is_email(text) is 'Whether a text is an e-mail address in its normal form: in lower case, with nothing around it.';
grant execute on function private.is_email(text) to anon, authenticated;

create function private.as_sent(value text) returns text
language plpgsql immutable parallel safe set search_path = ''
as $$
begin
  return case
    when value !~ '\S' then null
    when char_length(value) > 500 then left(value, 499) || '…'
    else value
  end;
end
$$;
comment on function private.as_sent(text) is
  'A phone or e-mail that could not be read, as it came: null when it is blank, cut with an ellipsis after 499 characters when it is longer than 500.';
grant execute on function private.as_sent(text) to anon, authenticated;

create function private.normal_phone(phone text) returns text
language plpgsql immutable parallel safe set search_path = ''
as $$
declare
  bare text;
begin
  if private.is_e164(phone) then
    return phone;
  end if;
  bare := regexp_replace(phone, '[\s().-]', '', 'g');
  return case when private.is_e164(bare) then bare else private.as_sent(phone) end;
end
$$;
comment on function private.normal_phone(text) is
  'A phone as it is stored: in E.164 when it says its country and nothing else, else as it came. National numbers are read before, in functions/_shared/phone.ts.';
grant execute on function private.normal_phone(text) to anon, authenticated;

create function private.normal_email(email text) returns text
language plpgsql immutable parallel safe set search_path = ''
as $$
declare
  bare text;
begin
  if private.is_email(email) then
    return email;
  end if;
  -- Also as mail programs write it: "Ana Ruiz <ana@example.com>", "mailto:ana@example.com".
  bare := lower(regexp_replace(regexp_replace(email, '^[^<>]*<([^<>]*)>\s*$', '\1'), '^\s*(mailto:\s*)?|\s+$', '', 'gi'));
  return case when private.is_email(bare) then bare else private.as_sent(email) end;
end
$$;
comment on function private.normal_email(text) is
  'An e-mail address as it is stored: trimmed and in lower case when it is one, without the name or "mailto:" around it, else as it came.';
grant execute on function private.normal_email(text) to anon, authenticated;

create function private.tg__normal_forms() returns trigger
language plpgsql set search_path = ''
as $$
begin
  new.phone := private.normal_phone(new.phone);
  new.email := private.normal_email(new.email);
  return new;
end
$$;
comment on function private.tg__normal_forms() is 'Stores phone and e-mail in their normal forms, whoever writes them.';
