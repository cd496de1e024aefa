"""Names in running text: by their capital, and foreign ones in Chinese characters by the characters themselves."""

from __future__ import annotations

import regex

# Characters that spell foreign names in Chinese; `_TELLING` ones are rare in words of its own, and one of them in a run
# of three makes it a name. Nearly all such runs in XQuAD's Chinese paragraphs are names.
_TELLING = (
    "阿埃艾奥贝彼茨蒂厄恩尔菲弗戈赫霍吉贾卡凯克库拉莱兰雷莉丽琳卢鲁伦罗洛玛莫姆穆娜尼涅诺帕佩珀普乔茹萨瑟莎斯丝塔泰坦特瓦韦"
    "维沃乌伊亚耶兹詹佐德巴布迪杜顿格哈辛纳梅贡滕廷曼"
)
_OTHERS = (
    "安班比宾查达戴丹道登多法费芬福盖古汉亨基加杰金坎康考科肯朗劳勒里利林隆马迈门蒙米密南内宁纽努欧潘皮奇恰切琴丘日荣瑞若塞森沙圣"
    "施什史舒苏索汤唐托万威魏温文翁武西希锡夏谢休雅扬叶英约泽扎本伯昂冈哥让桑惠其伏"
)
# No name is longer; without an end, a long run would be read to its own from each of its characters.
_MOST = 32
_PART = rf"(?:[{_TELLING}{_OTHERS}]{{2,{_MOST}}}|\p{{Han}}{{2}})"
_FOREIGN = rf"{_PART}(?:[·•‧]{_PART})+|(?=[{_OTHERS}]{{0,{_MOST}}}[{_TELLING}])[{_TELLING}{_OTHERS}]{{3,}}"
HAN_NAME = regex.compile(_FOREIGN)
CAPITALISED = regex.compile(r"\p{Lu}[\p{L}\p{M}]+")
_NAME = regex.compile(rf"{_FOREIGN}|{CAPITALISED.pattern}")
_DOT = regex.compile(r"[·•‧]")


def names(text: str) -> list[str]:
    """Return the words with a capital and the foreign names in Chinese characters, in reading order."""
    return _NAME.findall(text)


def name_pairs(name: str) -> list[list[str]]:
    """Return for each part of a name in Chinese characters its pairs of neighbouring characters."""
    return [[part[at : at + 2] for at in range(len(part) - 1)] for part in _DOT.split(name)]
