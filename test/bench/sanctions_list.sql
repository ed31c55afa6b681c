-- An invented list of :entries people with three names each. Given names are few and common, as everywhere, and every tenth surname is
-- one of seventeen that everybody knows.
create temporary table given_name as
select row_number() over () as n, name from unnest(string_to_array(
  'Jose,Juan,Antonio,Manuel,Francisco,Maria,Carmen,Ana,Luis,Carlos,Pedro,Miguel,Vladimir,Sergei,Aleksandr,Dmitri,Ivan,Andrei,Mikhail,Olga,Natalia,Elena,Irina,Mohammed,Ahmed,Ali,Hassan,Hussein,Abdul,Ibrahim,Omar,Khaled,Mahmoud,Fatima,Kim,Park,Li,Wang,Zhang,Chen,John,James,Robert,Michael,William,David,Richard,Thomas,Anna,Laura,Yuri,Boris,Viktor,Oleg,Nikolai,Pavel,Amir,Reza,Hamid,Said,Yusuf,Jorge,Ramon,Diego,Pablo,Andres,Jesus,Rafael,Alberto,Fernando,Svetlana,Tatiana,Leila,Samir,Tariq,Walid,Emilio,Gustavo,Hector,Ignacio,Joaquin,Lorenzo,Marcos,Nicolas,Oscar,Patricia,Raquel,Silvia,Teresa,Veronica', ',')) as name;
create temporary table surname as
with onset as (select unnest(string_to_array('b,br,c,ch,cl,d,dr,f,fr,g,gr,h,j,k,kr,l,ll,m,n,p,pr,q,r,s,sh,st,t,tr,v,w,y,z,zh', ',')) as o),
rhyme as (select unnest(string_to_array('a,an,ar,as,e,en,er,es,i,in,ir,is,o,on,or,os,u,un,ur,us,ai,ei,ia,io', ',')) as r),
syllable as materialized (select o || r as s, row_number() over (order by md5(o || r)) as n from onset, rhyme)
select k.n, initcap(a.s || b.s || case when k.n % 3 = 0 then c.s else '' end || (array['', 'ez', 'ov', 'ski', 'man', 'ini', 'dze'])[1 + k.n % 7]) as name
from generate_series(1::bigint, 60000) as k (n)
join syllable a on a.n = 1 + (k.n * 7919) % 792
join syllable b on b.n = 1 + (k.n * 104729 / 13) % 792
join syllable c on c.n = 1 + (k.n * 1299709 / 7) % 792
union all
select 60000 + row_number() over (), name from unnest(string_to_array(
  'Garcia,Lopez,Perez,Gonzalez,Rodriguez,Fernandez,Sanchez,Martinez,Gomez,Ruiz,Ivanov,Petrov,Smirnov,Hussein,Rahman,Smith,Johnson', ',')) as name,
  generate_series(1, 400);
create index on surname (n);
create index on given_name (n);
analyze surname;
insert into pg_temp.sanctions_incoming (id, schema, name, aliases, birth_dates, countries, datasets)
select 'INV-' || k.n, 'Person',
  g.name || ' ' || s.name || ' ' || t.name,
  array[t.name || ' ' || s.name || ', ' || g.name, h.name || ' ' || s.name],
  array[(1930 + k.n % 70)::text], array['ru'], array['Invented']
from generate_series(1, :entries) as k (n)
join given_name g on g.n = 1 + (k.n * 31) % 90
join given_name h on h.n = 1 + (k.n / 90) % 90
join surname s on s.n = 1 + (k.n::bigint * 48271) % 66800
join surname t on t.n = 1 + (k.n::bigint * 69621 / 11) % 66800;
