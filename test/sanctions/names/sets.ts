import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A listed name, written in another way. */
export interface Variant {
  listed: string;
  kind: string;
  written: string;
}

/**
 * Listed people, all invented, and how their names may be written. The rules were made with `tuned` in view. Those of
 * `held-out` were written down before anybody knew what the rules make of them; of what was missed, only causes that
 * concern a whole language's spelling were mended. So its recall is a little more than what to expect of names that
 * nobody thought of.
 */
export function variantsOf(set: "tuned" | "held-out"): Variant[] {
  const variants: Variant[] = [];
  let listed = "";
  for (const line of readFileSync(join(import.meta.dirname, `${set}.txt`), "utf8").split("\n")) {
    if (line.startsWith("# ")) listed = line.slice(2);
    const [kind = "", written = ""] = line.startsWith("#") ? [] : line.split(": ");
    for (const one of written.split("; ").filter((name) => name !== "")) {
      variants.push({ listed, kind, written: one });
    }
  }
  return variants;
}

const words = (text: string): string[] => text.split(",").map((word) => word.trim());

const GIVEN = words(
  "María Carmen,Antonio,José,Manuel,Francisco,David,Juan,Javier,José Antonio,Daniel,José Luis,Francisco Javier,Carlos,Jesús,Alejandro,Miguel,José Manuel,Rafael,Miguel Ángel,Pablo,Pedro,Ángel,Sergio,José María,Fernando,Jorge,Luis,Alberto,Álvaro,Juan Carlos,Adrián,Diego,Juan José,Raúl,Iván,Juan Antonio,Rubén,Enrique,Óscar,Ramón,Andrés,Vicente,Juan Manuel,Santiago,Joaquín,Víctor,Mario,Eduardo,Roberto,Jaime,María,Carmen,Ana María,Laura,María Pilar,María Dolores,Isabel,Josefa,María Teresa,Ana,Marta,Cristina,María Ángeles,Lucía,María Isabel,María José,Francisca,Antonia,Dolores,Sara,Paula,Elena,María Luisa,Raquel,Rosa María,Manuela,María Jesús,Pilar,Concepción,Julia,Mercedes,Beatriz,Nuria,Silvia,Irene,Rosario,Juana,Alba,Teresa,Encarnación,Montserrat,Andrea,Rocío,Sandra,Mònica,Alicia,Ángela,Sonia,Yolanda,Susana,Marina,Sofía,Natalia,Inmaculada,Eva,Claudia,Jordi,Iker,Aitor,Xavier,Josep,Ainhoa,Leire,Uxía,Brais,Jon,Noa,Lidia,Tomás,Hugo,Samuel,Martín,Gonzalo,Rodrigo,Ignacio,Emilio,Julián,Félix,Nicolás,Agustín,Lorenzo,Marc,Pau,Arnau,Gerard,Mikel,Unai,Gorka",
);
const SURNAMES = words(
  "García,Rodríguez,González,Fernández,López,Martínez,Sánchez,Pérez,Gómez,Martín,Jiménez,Hernández,Ruiz,Díaz,Moreno,Muñoz,Álvarez,Romero,Gutiérrez,Alonso,Navarro,Torres,Domínguez,Ramos,Vázquez,Ramírez,Gil,Serrano,Morales,Molina,Blanco,Suárez,Castro,Ortega,Delgado,Ortiz,Marín,Rubio,Núñez,Medina,Sanz,Castillo,Iglesias,Cortés,Garrido,Santos,Guerrero,Lozano,Cano,Cruz,Méndez,Flores,Prieto,Herrera,Peña,León,Márquez,Cabrera,Gallego,Calvo,Vidal,Campos,Reyes,Vega,Fuentes,Carrasco,Díez,Aguilar,Caballero,Nieto,Santana,Vargas,Pascual,Giménez,Herrero,Hidalgo,Montero,Lorenzo,Santiago,Benítez,Durán,Ibáñez,Arias,Mora,Ferrer,Carmona,Vicente,Rojas,Soto,Crespo,Román,Pastor,Velasco,Parra,Sáez,Moya,Bravo,Rivera,Gallardo,Soler,Esteban,Pardo,Franco,Rivas,Silva,Lara,Merino,Espinosa,Camacho,Mendoza,Vera,Izquierdo,Segura,Ríos,Arroyo,Casado,Redondo,Luque,Montes,Rey,Galán,Carrillo,Otero,Sierra,Bernal,Marcos,Heredia,Robles,Palacios,Soriano,Macías,Guerra,Exposito,Bueno,Vila,Roldán,Benito,Valero,Mateo,Andrés,Contreras,Varela,Pacheco,Bermúdez,Villar,Rovira,Puig,Mas,Roca,Ferrándiz,Etxeberria,Goikoetxea,Agirre,Zubizarreta,Mendizábal,Urrutia,Olaizola,Carballo,Seoane,Pereira,Lago,Souto,Quiroga,Barreiro,Castells,Bosch,Riera,Serra,Pons,Tur,Marí,Ballester,Llorens,Sempere,de la Fuente,de la Torre,de la Cruz,del Río,del Valle,de Miguel,de Diego,San Juan,Santamaría,Villanueva,Escudero,Quintana,Cordero,Manzano,Zamora,Toledo,Ávila,Salazar,Trujillo,Cuesta,Valverde,Quintero,Miranda,Barroso,Cárdenas,Rosales,Maldonado,Paredes,Luna,Salas,Ponce,Zapata,Bustos,Alarcón,Beltrán,Peralta,Villalba,Aranda,Mesa,Rueda,Corral,Cobo,Leal,Linares,Oliva,Pineda,Polo,Prado,Rico,Sancho,Tapia,Tejada,Toro,Uribe,Valle,Vallejo,Vela,Zafra",
);

/** A number from 0 to below `limit` that is the same in each run. */
function sequence(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

function pick(list: readonly string[], next: (limit: number) => number): string {
  return list[next(list.length)] ?? "";
}

/** Names of people on no list, as people in Spain have them: most with two surnames, some with one. */
export function ordinaryNames(count: number): string[] {
  const next = sequence(20);
  const names = new Set<string>();
  while (names.size < count) {
    const given = pick(GIVEN, next);
    const [first, second] = [pick(SURNAMES, next), pick(SURNAMES, next)];
    const style = next(20);
    if (style < 4) names.add(`${given} ${first}`);
    else if (style === 4) names.add(`${first} ${second}, ${given}`);
    else if (style === 5) names.add(`${given} ${first} i ${second}`);
    else names.add(`${given} ${first} ${second}`);
  }
  return [...names];
}

/** Given names and surnames of the places that most listed people come from. */
const PLACES: readonly (readonly [given: string[], surnames: string[]])[] = [
  [
    words(
      "Aleksandr,Sergei,Vladimir,Dmitry,Andrei,Mikhail,Nikolai,Igor,Yuri,Oleg,Viktor,Pavel,Konstantin,Anatoly,Boris,Roman,Maksim,Denis,Ruslan,Olga,Elena,Natalia,Svetlana,Marina,Irina,Anna,Tatiana,Maria,Larisa,Alina",
    ),
    words(
      "Ivanov,Smirnov,Kuznetsov,Popov,Vasiliev,Petrov,Sokolov,Mikhailov,Novikov,Fedorov,Morozov,Volkov,Alekseev,Lebedev,Semenov,Egorov,Pavlov,Kozlov,Stepanov,Nikolaev,Orlov,Andreev,Makarov,Nikitin,Zakharov,Zaitsev,Soloviev,Borisov,Yakovlev,Grigoriev,Romanov,Vorobiev,Sergeev,Kuzmin,Frolov,Dmitriev,Korolev,Gusev,Kiselev,Ilyin,Maksimov,Polyakov,Sorokin,Vinogradov,Kovalev,Belov,Medvedev,Antonov,Tarasov,Zhukov,Baranov,Filippov,Komarov,Davydov,Belyaev,Gerasimov,Bogdanov,Osipov,Sidorov,Matveev,Titov,Markov,Mironov,Krylov,Kulikov,Karpov,Vlasov,Melnikov,Denisov,Gavrilov,Tikhonov,Kazakov,Afanasiev,Danilov,Saveliev,Timofeev,Fomin,Chernov,Abramov,Martynov",
    ),
  ],
  [
    words(
      "Muhammad,Ahmad,Ali,Hasan,Husayn,Mahmud,Khalid,Umar,Yusuf,Ibrahim,Abdullah,Abd al-Rahman,Abd al-Karim,Salim,Samir,Nasir,Tariq,Walid,Faysal,Rashid,Jamal,Said,Mustafa,Hamza,Bilal,Zayd,Marwan,Nabil,Riyad,Amin",
    ),
    words(
      "al-Masri,al-Baghdadi,al-Shami,al-Tikriti,al-Hashimi,al-Jabouri,al-Dulaimi,al-Qahtani,al-Ghamdi,al-Zahrani,al-Otaibi,al-Harbi,al-Shehri,al-Najjar,al-Haddad,al-Sayyid,Hamdan,Mansour,Khalil,Saleh,Nasser,Qasim,Haddad,Darwish,Awad,Bakr,Fadel,Ghanem,Hariri,Issa,Jaber,Kanaan,Lahoud,Makhlouf,Nasrallah,Obeid,Qaddour,Rahal,Sabbagh,Tlass,Younes,Zaidan,Aziz,Barakat,Daoud,Farah,Habib,Ismail,Karam,Marzouk,Naji,Rashid,Sharif,Taha,Wahab,Yassin,Zaki,Badawi,Fayed,Sultan",
    ),
  ],
  [
    words(
      "Wei,Fang,Xiaoming,Jing,Li,Qiang,Lei,Jun,Yang,Yong,Yan,Jie,Tao,Ming,Chao,Xiuying,Juan,Guilan,Haiyan,Jianhua,Guoqiang,Zhigang,Wenbin,Xiaojun,Hongmei,Yulan,Jianping,Zhiyong,Haitao,Lihua",
    ),
    words(
      "Wang,Li,Zhang,Liu,Chen,Yang,Zhao,Huang,Zhou,Wu,Xu,Sun,Hu,Zhu,Gao,Lin,He,Guo,Ma,Luo,Liang,Song,Zheng,Xie,Han,Tang,Feng,Yu,Dong,Xiao,Cheng,Cao,Yuan,Deng,Fu,Shen,Zeng,Peng,Lu,Su,Jiang,Cai,Jia,Ding,Wei,Xue,Ye,Yan,Pan,Du",
    ),
  ],
  [
    words(
      "Mohammad Reza,Ali Akbar,Hossein,Mehdi,Hassan,Amir,Reza,Gholam Hossein,Majid,Saeed,Mohsen,Javad,Hamid,Mahmoud,Masoud,Kamran,Behrouz,Bahram,Farhad,Esmail,Yong Chol,Jong Un,Chol Su,Myong Guk,Kwang Ho,Song Il,Hyon Chol,Tong Myong,Chang Ho,Il Nam",
    ),
    words(
      "Ahmadi,Hosseini,Mohammadi,Rezaei,Karimi,Jafari,Moradi,Rahimi,Mousavi,Hashemi,Sadeghi,Kazemi,Rostami,Ebrahimi,Soleimani,Salami,Bagheri,Nazari,Akbari,Tehrani,Shirazi,Esfahani,Kermani,Larijani,Qomi,Kim,Ri,Pak,Choe,Jong,Kang,Cho,Yun,Jang,Im,Han,O,So,Sin,Kwon",
    ),
  ],
];

/** Invented listed people, as many as a long list has, none of a Spanish name. */
export function listedStrangers(count: number): string[] {
  const next = sequence(7);
  const names: string[] = [];
  while (names.length < count) {
    const [given, surnames] = PLACES[next(PLACES.length)] ?? [[], []];
    const two = next(2) === 0 ? ` ${pick(surnames, next)}` : "";
    names.push(`${pick(given, next)} ${pick(surnames, next)}${two}`);
  }
  return names;
}
