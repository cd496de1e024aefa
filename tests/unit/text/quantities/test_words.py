"""The forms of units in six languages."""

from __future__ import annotations

import pytest

from ragaliq.text.quantities.measures import unit_values
from ragaliq.text.quantities.words import unit_at
from ragaliq.text.terms import fold

# The unit: its plurals, and in Russian the dative, instrumental and prepositional one.
PLURALS = {
    "kg": "kilograms kilogrammes kilogrammen kilogramos килограммов килограммам килограммами килограммах 千克",
    "g": "grams grammes grammen gramos граммов граммам граммами граммах 克",
    "t": "tonnes tonnen toneladas тонн тоннам тоннами тоннах 吨",
    "km/h": "kilometres_per_hour kilometer_pro_stunde kilomètres_à_l'heure kilómetros_por_hora километров_в_час",
    "km": "kilometres kilometern kilomètres kilómetros километров километрам километрами километрах 公里",
    "m": "metres metern mètres metros метров метрам метрами метрах 米",
    "cm": "centimetres zentimetern centimètres centímetros сантиметров сантиметрам сантиметрами сантиметрах 厘米",
    "mm": "millimetres millimetern millimètres milímetros миллиметров миллиметрам миллиметрами миллиметрах 毫米",
    "l": "litres litern litros литров литрам литрами литрах 升",
    "ml": "millilitres millilitern mililitros миллилитров миллилитрам миллилитрами миллилитрах 毫升",
    "s": "seconds sekunden secondes segundos секунд секундам секундами секундах 秒",
    "min": "minutes minuten minutos минут минутам минутами минутах 分钟",
    "h": "hours stunden heures horas часов часам часами часах 小时",
    "day": "days tagen jours días дней дням днями днях сутками 天",
    "night": "nights nächten nuits noches ночей ночам ночами ночах 晚",
    "week": "weeks wochen semaines semanas недель неделям неделями неделях 周",
    "month": "months monaten mois meses месяцев месяцам месяцами месяцах 个月",
    "year": "years jahren ans années años лет годам годами годах 年",
    "°": "degrees grad graden degrés grados градусов градусам градусами градусах 度",
    "bar": "bars bar bares баров барам барами барах 巴",
    "mbar": "millibars millibar milibares миллибаров миллибарам миллибарами миллибарах 毫巴",
    "Pa": "pascals pascal pascales паскалей паскалям паскалями паскалях 帕",
    "hPa": "hectopascals hektopascal hectopascales гектопаскалей гектопаскалям 百帕",
    "kPa": "kilopascals kilopascal kilopascales килопаскалей килопаскалям 千帕",
    "MPa": "megapascals mégapascals megapascales мегапаскалей мегапаскалям 兆帕",
    "kW": "kilowatts kilowatt kilovatios киловатт киловаттам 千瓦",
    "W": "watts watt vatios ватт ваттам 瓦",
    "V": "volts volt voltios вольт вольтам 伏",
    "kn": "knots knoten nœuds nudos узлов узлам узлами узлах 节",
    "EUR": "euros euro евро 欧元",
    "USD": "dollars dollar dólares долларов долларам долларами долларах 美元",
    "GBP": "pounds pfund livres libras фунтов фунтам фунтами фунтах 英镑",
    "RUB": "roubles rubel rubeln rublos рублей рублям рублями рублях 卢布",
    "CNY": "yuan yuans yuanes юаней юаням юанями юанях 元",
}
IN_OTHER_UNITS = {
    "mi": "miles meilen milles millas миль милям милями милях 英里",
    "ft": "feet fuß pieds pies футов футам футами футах 英尺",
    "in": "inches zoll pouces pulgadas дюймов дюймам дюймами дюймах 英寸",
    "oz": "ounces unzen onces onzas унций унциям унциями унциях 盎司",
    "mg": "milligrams milligramm milligrammes miligramos миллиграммов миллиграммам 毫克",
    "quarter": "quarters quartale quartalen trimestres кварталов кварталам кварталах 季度",
}


@pytest.mark.parametrize("unit", PLURALS)
def test_units_have_their_plurals(unit: str) -> None:
    for form in PLURALS[unit].split():
        text = fold(f"3 {form}".replace("_", " "))
        assert unit_at(text, 1) == (unit, len(text)), form


@pytest.mark.parametrize("unit", IN_OTHER_UNITS)
def test_units_that_are_only_converted_have_their_plurals(unit: str) -> None:
    for form in IN_OTHER_UNITS[unit].split():
        assert [one.unit for one in unit_values(fold(f"3 {form}"), "en")] == [unit], form
