-- How a word sounds, however a language spells it: consonants as P B F T D K G S C L M N R (C: sh, ch, zh, dzh), vowels
-- as A E O. A letter that languages read in different ways gives one sound for each (a Spanish j is a kh, an English one
-- a dzh, a German one a y), so a word has a few.
create function private.each_way(forms text[], letters text, ways text[]) returns text[]
language plpgsql immutable set search_path = ''
as $$
begin
  if forms[1] !~ letters then
    return forms;
  end if;
  return array(
    select distinct regexp_replace(f.form, letters, w.way, 'g') from unnest(forms) as f (form), unnest(ways) as w (way));
end
$$;
comment on function private.each_way(text[], text, text[]) is 'The forms of a word with some letters read in each of several ways.';

create function private.arabic_sounds(word text) returns text[]
language plpgsql immutable set search_path = ''
as $$
declare
  forms text[] := array[word];
begin
  -- The article, alone or behind "servant of", is written or left out.
  if word ~ '^ال..' then
    forms := forms || substr(word, 3);
  end if;
  if word ~ '^عبدال..' then
    forms := forms || ('عبد' || substr(word, 6));
  end if;
  -- Long vowels share their letters with w and v.
  if word like '%و%' then
    forms := forms || array(select replace(f, 'و', 'B') from unnest(forms) f)
      || array(select regexp_replace(f, '^(.*)و', '\1B') from unnest(forms) f);
  end if;
  forms := private.each_way(forms, '[ذضظ]', '{D,S}');
  forms := private.each_way(forms, 'ث', '{T,S}');
  return array(
    select distinct regexp_replace(translate(f,
      'بپتجچخدرزژسشصطغفقكلمنבגדזחטכךלמםנןספףצץקרשתاويعهحءאהויע',
      'BPTCCKDRSCSCSTGFKKLMNBGDSKTKKLMMNNSPPSSKRCT'), '(.)\1+', '\1', 'g')
    from unnest(forms) f);
end
$$;
comment on function private.arabic_sounds(text) is 'The sounds of a word of Arabic or Hebrew letters: its consonants.';

create function private.same_name_otherwise(word text) returns text[]
language plpgsql immutable set search_path = ''
as $$
declare
  names text;
begin
  -- Frequent names whose usual spellings are further apart than the sounds of one name are.
  foreach names in array array[
    ' muhammad mohammed mohamed mohammad mohamad muhammed muhamad muhamed mehmet mehmed mahomed magomed mohd ',
    ' ahmad ahmed ahmet ', ' umar omar omer ', ' yusuf youssef yousef yousuf youssouf yusef yusuf iusuf yosef josef ',
    ' ri lee yi rhee ', ' pak park bak ', ' choe choi choy ', ' jong jung jeong chung chong cheong ', ' vladimir volodymyr uladzimir ', ' aleksandr alexander oleksandr ',
    ' dmitri dmytro dimitri dimitris dimitrios ', ' nikolai mykola nikolas nikolaos ', ' georgi giorgi georgios jorge ']
  loop
    if names like '% ' || word || ' %' then
      return array[split_part(names, ' ', 2)];
    end if;
  end loop;
  return '{}';
end
$$;
comment on function private.same_name_otherwise(text) is 'Another spelling of a frequent name, as an array of one or none.';

create function private.word_sounds(word text) returns text[]
language plpgsql immutable set search_path = ''
as $$
declare
  form text;
  forms text[] := array[word];
begin
  if word ~ '[\u0590-\u06ff]' then
    return private.arabic_sounds(word);
  end if;
  -- Particles that some spellings write with their word.
  if word ~ '^((al|el|ul|bin|ben|del|dela|delos|delas|dell|van|vander|vanden)...|d[ei][^aeiou][aeiou]..)' then
    forms := forms || regexp_replace(word, '^(delos|delas|dela|dell|del|vander|vanden|van|de|di|al|el|ul|bin|ben)(?=...)', '');
  end if;
  -- A Russian ё is written as yo or e.
  if word ~ '[^aeiouy]yo[^aeiouyn]' then
    forms := forms || replace(word, 'yo', 'e');
  end if;
  forms := forms || private.same_name_otherwise(word);
  if word ~ '^a([dnrstz])\1...' then
    forms := forms || substr(word, 3);
  end if;
  if word ~ '[aeiou][ld]d[iy]n' then
    forms := forms || regexp_replace(word, '[aeiou][ld](d[iy]n)', '\1');
  end if;
  if word ~ '^abd[aeou](l|r|s|z|d|n).' then
    forms := forms || regexp_replace(word, '^abd[aeou](l|r(?=r)|s(?=s)|z(?=z)|d(?=d)|n(?=n))?', 'abd');
  end if;

  -- A French e is not heard at the end.
  if word ~ '[aeiou][^aeiou]e$' and char_length(word) >= 6 then
    forms := forms || array(select left(f, -1) from unnest(forms) f);
  end if;
  -- All forms in one text, for each expression costs more than what it is applied to.
  form := array_to_string(forms, ' ');
  form := regexp_replace(form, 'stsch|shtch|shtsch|schtsch|chtch|shch|schch|tsch|tch|sch|sh|dsch|dzh|dj|zh|cz|\mhs', 'C', 'g');
  form := regexp_replace(replace(replace(form, 'kh', 'K'), 'ck', 'K'), 'qu(?=[ei])', 'K', 'g');
  form := regexp_replace(regexp_replace(form, '(?<!n)gh', 'G', 'g'), 'gu(?=[ei])', 'G', 'g');
  form := regexp_replace(form, 'ng(?![aeiouy])|ny(?=[aeiou])', 'N', 'g');
  form := replace(regexp_replace(form, 't[sz]|dz|c(?=[eiy])', 'S', 'g'), 'ph', 'F');
  forms := string_to_array(form, ' ');
  -- "Njegoš" and "Barzanji".
  forms := private.each_way(forms, 'nj(?=[aeiou])', '{N,nC}');
  forms := private.each_way(forms, 'ch', '{C,K}');
  forms := private.each_way(forms, 'th', '{T,S}');
  forms := private.each_way(forms, 'dh', '{D,S}');
  forms := private.each_way(forms, 'x', '{KS,C,K}');
  forms := private.each_way(forms, '^c', '{K,S}');
  forms := private.each_way(forms, 'q(?=i[ao])', '{C}');
  forms := private.each_way(forms, '^q', '{K,C}');
  forms := private.each_way(forms, 'g(?=[eiy])|^g(?=a)', '{G,C}');
  forms := private.each_way(forms, 'j(?=ua)', '{K}');
  forms := private.each_way(forms, 'j', '{C,K,i}');
  forms := private.each_way(forms, 'w', '{B,u}');
  forms := private.each_way(forms, 'h', '{"",K}');
  form := translate(array_to_string(forms[1:16], ' '), 'yptkbvfdgszlmnrcq', 'iPTKBBFDGSSLMNRKK');
  -- A vowel and what glides into it or away from it are one.
  form := regexp_replace(form, '(o(?=ua)|[iu])+(?=[aeou])', '', 'g');
  form := regexp_replace(form, '(au|ou|oo|eo(?![aeiou])|eu|o|u)[aeiou]?', 'O', 'g');
  form := regexp_replace(form, '(a[ei]|e|i)[aeiou]*', 'E', 'g');
  form := regexp_replace(replace(form, 'a', 'A'), '([^ ])\1+', '\1', 'g');
  return array(select distinct f from unnest(string_to_array(form, ' ')) f);
end
$$;
comment on function private.word_sounds(text) is 'The sounds that a word of private.name_words may have, read as different languages spell.';

create function private.sound_key(sounds text) returns text
language plpgsql immutable set search_path = ''
as $$
begin
  return regexp_replace(translate(sounds, 'BFDGCAEO', 'PPTKS'), '([^ ])\1+', '\1', 'g');
end
$$;
comment on function private.sound_key(text) is 'What is left of a sound, or of several with blanks between, when only kinds of consonants count.';

create function private.sound_keys(sounds text[]) returns text[]
language plpgsql immutable set search_path = ''
as $$
begin
  return array(
    select k.key
    from unnest(sounds) s
    cross join lateral (values
      ('=' || s),
      (private.sound_key(s)),
      -- In a short word the vowels tell: its consonants alone are those of too many.
      (case when char_length(s) <= 4 then translate(s, 'BFDGC', 'PPTKS') end),
      (case when s !~ '[AEO]' then '#' || private.sound_key(s) end)) as k (key)
    where k.key not in ('', '=', '#')
    group by k.key);
end
$$;
comment on function private.sound_keys(text[]) is
  'What a listed word is found by: the consonants of each sound, of a short one its vowels too, of one without vowels its consonants with a # before; and each sound itself with a = before.';

create function private.wanted_keys(sounds text[]) returns text[]
language plpgsql immutable set search_path = ''
as $$
begin
  return array(
    select k.key
    from unnest(sounds) s
    cross join lateral (values
      (case when s ~ '[AEO]' and char_length(s) <= 4 then translate(s, 'BFDGC', 'PPTKS') else private.sound_key(s) end),
      ('#' || private.sound_key(s))) as k (key)
    where k.key not in ('', '#')
    group by k.key);
end
$$;
comment on function private.wanted_keys(text[]) is 'By which of private.sound_keys the listed words are found that may sound like a word.';

create function private.sound_score(a text[], b text[]) returns real
language plpgsql immutable set search_path = ''
as $$
declare
  x text;
  y text;
  kinds_x text;
  kinds_y text;
  consonants_x text;
  consonants_y text;
  letters int;
  changes real;
  best real := 0;
begin
  if a && b and a[1] ~ '[AEO]' then
    return 1;
  end if;
  foreach x in array a loop
    kinds_x := translate(left(x, 100), 'BFDGC', 'PPTKS');
    consonants_x := translate(kinds_x, 'AEO', '');
    foreach y in array b loop
      kinds_y := translate(left(y, 100), 'BFDGC', 'PPTKS');
      consonants_y := translate(kinds_y, 'AEO', '');
      if consonants_x = kinds_x or consonants_y = kinds_y then
        -- Vowels that were not written tell nothing, and few consonants tell little.
        if private.sound_key(x) = private.sound_key(y) then
          best := greatest(best, 0.75 + 0.05 * least(length(private.sound_key(x)), 4));
        end if;
      else
        -- Another consonant counts whole, another vowel three quarters, another consonant of the same kind (d for t)
        -- half. In a short word a change may well make another name, as does an ending (Martín, Martynov).
        letters := greatest(length(x), length(y));
        changes := 0.5 * extensions.levenshtein(left(x, 100), left(y, 100)) + 0.25 * extensions.levenshtein(kinds_x, kinds_y)
          + 0.25 * extensions.levenshtein(consonants_x, consonants_y);
        best := greatest(best, 1 - changes / letters - case when changes > 0 and letters <= 5 then 0.1 else 0 end
          - case when abs(length(x) - length(y)) >= 2 then 0.05 else 0 end);
      end if;
    end loop;
  end loop;
  return best;
end
$$;
comment on function private.sound_score(text[], text[]) is 'How much two words sound alike, 0 to 1, by the two of their sounds that come nearest.';
