"""A small benchmark in six languages: twelve chunks and eight queries, the same ids in each, in our own layout."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

from ragaliq.benchmark.layout import file_hash
from ragaliq.storage.files import write_json, write_jsonl

LANGS = ("en", "de", "fr", "es", "ru", "zh")
# Chunk → its text in each language; what stands before the hyphen is the source.
CHUNKS: dict[str, tuple[str, ...]] = {
    "stay-01": (
        "The gate of the Orvella campsite opens at 07:00 in the morning and closes at 22:30 in the evening.",
        "Das Tor des Campingplatzes Orvella öffnet morgens um 07:00 Uhr und schließt abends um 22:30 Uhr.",
        "Le portail du camping Orvella ouvre le matin à 07:00 et ferme le soir à 22:30.",
        "La puerta del camping Orvella abre por la mañana a las 07:00 y cierra por la noche a las 22:30.",
        "Ворота кемпинга «Орвелла» открываются утром в 07:00 и закрываются вечером в 22:30.",
        "奥尔维拉营地的大门早上07:00开放，晚上22:30关闭。",
    ),
    "stay-02": (
        "A night on a tent pitch costs 14 euros for each adult; children under six stay for free.",
        "Eine Nacht auf einem Zeltplatz kostet 14 Euro für jeden Erwachsenen; Kinder unter sechs Jahren sind frei.",
        "Une nuit sur un emplacement de tente coûte 14 euros par adulte ; c'est gratuit pour les moins de six ans.",
        "Una noche en una parcela para tienda cuesta 14 euros por adulto; los niños menores de seis años no pagan.",
        "Ночь на месте для палатки стоит 14 евро для каждого взрослого; дети до шести лет живут бесплатно.",
        "在帐篷区住一晚，每位成人收费14欧元，六岁以下儿童免费。",
    ),
    "stay-03": (
        "Dogs must be kept on a lead everywhere and may not enter the bathing beach.",
        "Hunde sind überall an der Leine zu führen und dürfen nicht auf den Badestrand.",
        "Les chiens doivent être tenus en laisse partout et n'ont pas accès à la plage.",
        "Los perros deben ir siempre con correa y no pueden entrar en la playa.",
        "Собак везде держат на поводке, и на пляж для купания им вход запрещён.",
        "狗在任何地方都必须拴绳，而且不得进入浴场沙滩。",
    ),
    "stay-04": (
        "Quiet hours last from 22:00 to 06:30; no music is allowed during that time.",
        "Die Nachtruhe dauert von 22:00 bis 06:30 Uhr; in dieser Zeit ist keine Musik erlaubt.",
        "Le silence est de rigueur de 22:00 à 06:30 ; la musique est alors interdite.",
        "El horario de silencio va de las 22:00 a las 06:30; en ese tiempo no se permite la música.",
        "Часы тишины длятся с 22:00 до 06:30; в это время музыка запрещена.",
        "安静时段为22:00至06:30，在此期间不得播放音乐。",
    ),
    "lake-01": (
        "Rowing boats can be rented at the wooden jetty for 9 euros an hour.",
        "Ruderboote kann man am hölzernen Steg für 9 Euro pro Stunde mieten.",
        "On peut louer des barques au ponton de bois pour 9 euros de l'heure.",
        "En el muelle de madera se alquilan botes de remos por 9 euros la hora.",
        "Вёсельные лодки можно взять напрокат у деревянного причала за 9 евро в час.",
        "木码头出租划艇，每小时9欧元。",
    ),
    "lake-02": (
        "A lifeguard watches over the bathers from June to August, every day from 10:00 to 18:00.",
        "Von Juni bis August wacht täglich von 10:00 bis 18:00 Uhr ein Rettungsschwimmer über die Badenden.",
        "De juin à août, un maître-nageur surveille les baigneurs tous les jours de 10:00 à 18:00.",
        "De junio a agosto, un socorrista vigila a los bañistas todos los días de 10:00 a 18:00.",
        "С июня по август спасатель следит за купающимися каждый день с 10:00 до 18:00.",
        "六月至八月，救生员每天10:00至18:00看护游泳者。",
    ),
    "lake-03": (
        "Fishing needs a permit, which the campsite office sells for 12 euros a day.",
        "Zum Angeln braucht man eine Erlaubnis, die das Büro des Campingplatzes für 12 Euro am Tag verkauft.",
        "Pour pêcher, il faut un permis, que le bureau du camping vend 12 euros par jour.",
        "Para pescar hace falta un permiso, que la oficina del camping vende por 12 euros al día.",
        "Для рыбалки нужно разрешение, которое контора кемпинга продаёт за 12 евро в день.",
        "钓鱼需要许可证，营地办公室有售，每天12欧元。",
    ),
    "lake-04": (
        "The lake is 31 metres deep, has one small island, and reaches 23 degrees in July.",
        "Der See ist 31 Meter tief, hat eine kleine Insel und erreicht im Juli 23 Grad.",
        "Le lac est profond de 31 mètres, possède une petite île et atteint 23 degrés en juillet.",
        "El lago tiene 31 metros de profundidad y una pequeña isla, y alcanza los 23 grados en julio.",
        "Глубина озера 31 метр, на нём есть один маленький остров, а в июле вода прогревается до 23 градусов.",
        "湖深31米，湖中有一座小岛，七月水温可达23度。",
    ),
    "food-01": (
        "The shop sells fresh bread from 07:30; orders must be placed on the evening before.",
        "Der Laden verkauft ab 07:30 Uhr frisches Brot; man bestellt es am Abend vorher.",
        "La boutique vend du pain frais dès 07:30 ; il faut le commander la veille au soir.",
        "La tienda vende pan fresco desde las 07:30; hay que encargarlo la tarde anterior.",
        "Магазин продаёт свежий хлеб с 07:30; заказывать его нужно накануне вечером.",
        "商店07:30起出售新鲜面包，须在前一天晚上预订。",
    ),
    "food-02": (
        "The restaurant is closed on Mondays; on all other days it serves warm meals until 21:00.",
        "Das Restaurant ist montags geschlossen; an allen anderen Tagen gibt es bis 21:00 Uhr warmes Essen.",
        "Le restaurant est fermé le lundi ; les autres jours, il sert des plats chauds jusqu'à 21:00.",
        "El restaurante cierra los lunes; los demás días sirve comida caliente hasta las 21:00.",
        "Ресторан закрыт по понедельникам; в остальные дни горячие блюда подают до 21:00.",
        "餐厅每周一休息，其他日子供应热餐至21:00。",
    ),
    "food-03": (
        "Open fires are allowed only in the stone ring between the kitchen and the playground.",
        "Offenes Feuer ist nur im Steinkreis zwischen der Küche und dem Spielplatz erlaubt.",
        "Les feux de camp ne sont permis que dans le cercle de pierres entre la cuisine et l'aire de jeux.",
        "Solo se permite hacer fuego en el círculo de piedras entre la cocina y la zona de juegos.",
        "Разводить костёр можно только в каменном кругу между кухней и детской площадкой.",
        "只可在厨房与游乐场之间的石圈内生火。",
    ),
    "food-04": (
        "Glass goes into the green container behind the washhouse, and paper into the blue one.",
        "Glas kommt in den grünen Behälter hinter dem Waschhaus und Papier in den blauen.",
        "Le verre va dans le conteneur vert derrière la buanderie, et le papier dans le bleu.",
        "El vidrio va al contenedor verde, detrás del lavadero, y el papel, al azul.",
        "Стекло бросают в зелёный контейнер за прачечной, а бумагу — в синий.",
        "玻璃投入洗衣房后面的绿色垃圾箱，纸张投入蓝色垃圾箱。",
    ),
}
# Query → type, gold, its nuggets' chunks, and in each language the question, the reference and the nuggets.
# Nobody can answer the last one.
QUERIES: dict[str, tuple[str, tuple[str, ...], tuple[tuple[str, ...], ...]]] = {
    "q1": ("temporal", ("stay-01",), (
        ("When does the gate of the campsite close in the evening?", "It closes at 22:30.",
         "The gate closes at 22:30."),
        ("Wann schließt das Tor des Campingplatzes am Abend?", "Es schließt um 22:30 Uhr.",
         "Das Tor schließt um 22:30 Uhr."),
        ("À quelle heure ferme le portail du camping le soir ?", "Il ferme à 22:30.", "Le portail ferme à 22:30."),
        ("¿A qué hora cierra por la noche la puerta del camping?", "Cierra a las 22:30.",
         "La puerta cierra a las 22:30."),
        ("Когда вечером закрываются ворота кемпинга?", "Они закрываются в 22:30.", "Ворота закрываются в 22:30."),
        ("营地大门晚上几点关闭？", "晚上22:30关闭。", "大门22:30关闭。"),
    )),
    "q2": ("numeric", ("stay-02",), (
        ("What does an adult pay for a night on a tent pitch?", "An adult pays 14 euros.",
         "A night on a tent pitch costs an adult 14 euros."),
        ("Was bezahlt ein Erwachsener für eine Nacht auf dem Zeltplatz?", "Ein Erwachsener bezahlt 14 Euro.",
         "Eine Nacht kostet einen Erwachsenen 14 Euro."),
        ("Combien un adulte paie-t-il pour une nuit sous la tente ?", "Un adulte paie 14 euros.",
         "Une nuit coûte 14 euros à un adulte."),
        ("¿Cuánto paga un adulto por una noche en la parcela?", "Un adulto paga 14 euros.",
         "Una noche le cuesta 14 euros a un adulto."),
        ("Сколько взрослый платит за ночь в палатке?", "Взрослый платит 14 евро.",
         "Ночь стоит взрослому 14 евро."),
        ("成人在帐篷区住一晚要付多少钱？", "每位成人付14欧元。", "成人住一晚收费14欧元。"),
    )),
    "q3": ("fact", ("stay-03",), (
        ("Can I take my dogs to the bathing beach?", "No, dogs may not enter the bathing beach.",
         "Dogs may not enter the bathing beach."),
        ("Kann ich meine Hunde an den Badestrand mitnehmen?", "Nein, Hunde dürfen nicht auf den Badestrand.",
         "Hunde dürfen nicht auf den Badestrand."),
        ("Puis-je emmener mes chiens à la plage ?", "Non, les chiens n'ont pas accès à la plage.",
         "Les chiens n'ont pas accès à la plage."),
        ("¿Puedo llevar a mis perros a la playa?", "No, los perros no pueden entrar en la playa.",
         "Los perros no pueden entrar en la playa."),
        ("Можно ли взять собак на пляж?", "Нет, собакам вход на пляж запрещён.",
         "Собакам вход на пляж запрещён."),
        ("我可以带狗去浴场沙滩吗？", "不可以，狗不得进入浴场沙滩。", "狗不得进入浴场沙滩。"),
    )),
    "q4": ("numeric", ("lake-01",), (
        ("How much are the rowing boats at the jetty?", "They cost 9 euros an hour.",
         "A rowing boat costs 9 euros an hour."),
        ("Was kosten die Ruderboote am Steg?", "Sie kosten 9 Euro pro Stunde.",
         "Ein Ruderboot kostet 9 Euro pro Stunde."),
        ("Combien coûtent les barques au ponton ?", "Elles coûtent 9 euros de l'heure.",
         "Une barque coûte 9 euros de l'heure."),
        ("¿Cuánto cuestan los botes de remos en el muelle?", "Cuestan 9 euros la hora.",
         "Un bote de remos cuesta 9 euros la hora."),
        ("Сколько стоят вёсельные лодки у причала?", "Они стоят 9 евро в час.",
         "Вёсельная лодка стоит 9 евро в час."),
        ("木码头的划艇租金是多少？", "每小时9欧元。", "划艇每小时收费9欧元。"),
    )),
    "q5": ("temporal", ("lake-02",), (
        ("In which months does a lifeguard watch over the bathers?", "From June to August.",
         "A lifeguard is there from June to August."),
        ("In welchen Monaten wacht ein Rettungsschwimmer über die Badenden?", "Von Juni bis August.",
         "Von Juni bis August ist ein Rettungsschwimmer da."),
        ("Pendant quels mois un maître-nageur surveille-t-il les baigneurs ?", "De juin à août.",
         "Un maître-nageur est là de juin à août."),
        ("¿En qué meses vigila un socorrista a los bañistas?", "De junio a agosto.",
         "Hay un socorrista de junio a agosto."),
        ("В какие месяцы спасатель следит за купающимися?", "С июня по август.",
         "Спасатель дежурит с июня по август."),
        ("救生员在哪几个月看护游泳者？", "六月至八月。", "六月至八月有救生员看护。"),
    )),
    "q6": ("temporal", ("food-02",), (
        ("On which day is the restaurant closed?", "It is closed on Mondays.", "The restaurant is closed on Mondays."),
        ("An welchem Tag ist das Restaurant geschlossen?", "Es ist montags geschlossen.",
         "Das Restaurant ist montags geschlossen."),
        ("Quel jour le restaurant est-il fermé ?", "Il est fermé le lundi.", "Le restaurant est fermé le lundi."),
        ("¿Qué día cierra el restaurante?", "Cierra los lunes.", "El restaurante cierra los lunes."),
        ("В какой день ресторан закрыт?", "Он закрыт по понедельникам.", "Ресторан закрыт по понедельникам."),
        ("餐厅哪一天休息？", "每周一休息。", "餐厅每周一休息。"),
    )),
    "q7": ("multi_hop", ("lake-01", "lake-03"), (
        ("What do a rowing boat for one hour and a fishing permit for one day cost together?",
         "Together they cost 21 euros.", "A rowing boat costs 9 euros an hour.",
         "A fishing permit costs 12 euros a day."),
        ("Was kosten ein Ruderboot für eine Stunde und eine Angelerlaubnis für einen Tag zusammen?",
         "Zusammen kosten sie 21 Euro.", "Ein Ruderboot kostet 9 Euro pro Stunde.",
         "Eine Angelerlaubnis kostet 12 Euro am Tag."),
        ("Combien coûtent ensemble une barque pour une heure et un permis de pêche pour un jour ?",
         "Ensemble, ils coûtent 21 euros.", "Une barque coûte 9 euros de l'heure.",
         "Un permis de pêche coûte 12 euros par jour."),
        ("¿Cuánto cuestan juntos un bote de remos por una hora y un permiso de pesca por un día?",
         "Juntos cuestan 21 euros.", "Un bote de remos cuesta 9 euros la hora.",
         "Un permiso de pesca cuesta 12 euros al día."),
        ("Сколько стоят вместе лодка на час и разрешение на рыбалку на день?", "Вместе они стоят 21 евро.",
         "Вёсельная лодка стоит 9 евро в час.", "Разрешение на рыбалку стоит 12 евро в день."),
        ("租一小时划艇加一天的钓鱼许可证一共要多少钱？", "一共21欧元。", "划艇每小时收费9欧元。",
         "钓鱼许可证每天12欧元。"),
    )),
    "q8": ("unanswerable", (), (
        ("Who built the chapel beside the vineyard?", "The handbook does not say who built a chapel."),
        ("Wer hat die Kapelle am Weinberg gebaut?", "Das Handbuch sagt nicht, wer eine Kapelle gebaut hat."),
        ("Qui a construit la chapelle près du vignoble ?", "Le guide ne dit pas qui a construit une chapelle."),
        ("¿Quién construyó la capilla junto al viñedo?", "El manual no dice quién construyó una capilla."),
        ("Кто построил часовню у виноградника?", "В справочнике не сказано, кто построил часовню."),
        ("葡萄园旁边的小教堂是谁建造的？", "手册没有提到小教堂是谁建造的。"),
    )),
}  # fmt: skip


def write_small(folder: Path) -> Path:
    """Write the benchmark with its sources and its hashes, and return its folder."""
    for number, lang in enumerate(LANGS):
        write_jsonl(folder / "corpus" / f"{lang}.jsonl", _write_sources(folder, lang, number))
        texts = {query_id: (kind, gold, rows[number]) for query_id, (kind, gold, rows) in QUERIES.items()}
        queries = [
            {"query_id": query_id, "lang": lang, "text": text, "reference": reference, "answerable": bool(gold),
             "type": kind, "gold": [[doc_id] for doc_id in gold], **({} if gold else {"near_miss": "lake-04"})}
            for query_id, (kind, gold, (text, reference, *_)) in texts.items()
        ]  # fmt: skip
        write_jsonl(folder / "queries" / f"{lang}.jsonl", queries)
        nuggets = [
            {"nugget_id": f"{query_id}-{n}", "query_id": query_id, "text": text, "importance": "vital",
             "doc_ids": [doc_id]}
            for query_id, (_, gold, (_, _, *facts)) in texts.items()
            for n, (doc_id, text) in enumerate(zip(gold, facts, strict=True), start=1)
        ]  # fmt: skip
        write_jsonl(folder / "nuggets" / f"{lang}.jsonl", nuggets)
        qrels = [f"{query_id} 0 {doc_id} 1\n" for query_id, (_, gold, _) in QUERIES.items() for doc_id in gold]
        (folder / "qrels").mkdir(exist_ok=True)
        (folder / "qrels" / f"{lang}.tsv").write_text("".join(qrels), encoding="utf-8")
    hashes = {path.relative_to(folder).as_posix(): file_hash(path) for path in sorted(folder.rglob("*.*"))}
    head = {"name": "small", "version": "1", "licence": "CC0-1.0", "languages": list(LANGS), "hashes": hashes}
    write_json(folder / "bench.json", head)
    (folder / "CARD.md").write_text("# small\n\nWritten by hand for the tests.\n", encoding="utf-8")
    return folder


def _write_sources(folder: Path, lang: str, number: int) -> list[dict[str, object]]:
    """Write a language's sources, a paragraph for each chunk, and return the rows of the chunks."""
    rows: list[dict[str, object]] = []
    for name, doc_ids in groupby(CHUNKS, lambda doc_id: doc_id.split("-")[0]):
        source_id, source = f"sources/{lang}/{name}.md", ""
        for doc_id in doc_ids:
            text = CHUNKS[doc_id][number]
            rows.append({"doc_id": doc_id, "source_id": source_id, "start": len(source), "end": len(source) + len(text),
                         "text": text, "lang": lang})  # fmt: skip
            source += text + "\n\n"
        (folder / source_id).parent.mkdir(parents=True, exist_ok=True)
        (folder / source_id).write_text(source, encoding="utf-8")
    return rows
