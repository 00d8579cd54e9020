"""Texts that lean on what stands before them: they begin with a pronoun, without a subject, or with the bare name of a property.

"It listens on port 9443", 支持国密算法, 默认端口：8443 answer a question about a product that they do not name. A child that
begins so gets the name into its prefix, from the last definition in front of it in its section, else from what the section is
about.
"""

from __future__ import annotations

import re

from ingest.chunk.words import words

_SEEN = 40
"""Characters of a beginning that tell."""

_MARKS = re.compile(r"[\s\"'“‘「『（(【\[*_`>#|·•-]+|\d{1,3}[.、)）]\s*")
_EN_WORD = re.compile(r"[A-Za-z]+")
_EN_PRONOUN = words("""
    it its itself they them their theirs this that these those he him his she her hers such both neither either former latter
    one ones
""")
_EN_CONNECTED = words("""
    also additionally furthermore moreover however therefore thus hence then instead otherwise similarly and but or so
""")
_EN_ARTICLE = words("the a an")
_EN_PROPERTY = words("""
    price prices cost costs fee fees port ports address addresses size sizes weight capacity limit limits quota quotas timeout
    timeouts default defaults version versions licence license format formats password username account name id code owner author
    date deadline duration period validity warranty support maximum minimum max min interval rate rates range dimensions power
    voltage latency throughput retention path url endpoint parameter parameters option options value values status requirement
    requirements height width length depth speed temperature colour color material model memory storage bandwidth contact phone
    email
""")
_EN_COPULA = re.compile(r"[^.!?。\n]{0,40}?(?::|\b(?:is|are|was|were|must|should|can|may|defaults?|ranges?)\b)")

_ZH_PRONOUN = re.compile(
    r"它们?|其(?!他|它|实|中|余|次)|该|此(?!外)|这|那(?!么)|他们?|她们?|前者|后者|两者|二者|上述|以上|同上"
    r"|本(?:产品|系统|服务|设备|软件|功能|模块|接口|平台|公司|条|款|项)"
)
_ZH_ELIDED = re.compile(
    r"(?:并且?|且|也|还|同时|均|都|仅|只|可|不|未|已|将|会|应|须|需|能)*(?:"
    r"支持|提供|可以|可用|可在|可通过|能够|能在|需要|需在|须在|应当|应在|必须|不得|允许|禁止|默认|包括|包含|采用|使用|具有|具备|拥有|用于|适用于"
    r"|兼容|内置|集成|位于|属于|基于|依赖|运行于|运行在|监听|返回|接受|最多|最少|至少|不超过|成立于|隶属|负责)"
)
_ZH_PROPERTY = re.compile(
    r"(?:默认|最大|最小|最高|最低|标准|推荐|总|单|初始|额定)?"
    r"(?:端口号?|地址|价格|费用|费率|单价|售价|版本号?|型号|尺寸|大小|重量|容量|上限|下限|限额|额度|配额|超时(?:时间)?|期限|时限|有效期|保修期"
    r"|保质期|周期|频率|间隔|格式|路径|参数|取值|默认值|口令|密码|账号|用户名|名称|编号|代码|负责人|联系人|联系方式|电话|邮箱|功率|电压|电流|温度"
    r"|速度|带宽|内存|存储|时长|数量|比例|范围|规格|材质|颜色|状态|许可证?|授权|日期|时间)(?:[：:]|为|是|默认|不(?:超过|低于|少于|得)|[（(])"
)


def leans(text: str, start: int) -> bool:
    """Whether what begins at `start` of `text` says nothing of whom or what it speaks."""
    while found := _MARKS.match(text, start):
        start = found.end()
    head = text[start : start + _SEEN]
    if not head:
        return False
    if head[0].isascii():
        return _leans_in_english(head)
    return bool(_ZH_PRONOUN.match(head) or _ZH_ELIDED.match(head) or _ZH_PROPERTY.match(head))


def _leans_in_english(head: str) -> bool:
    said = [word.lower() for word in _EN_WORD.findall(head)]
    if not said or not head[0].isalpha():
        return False
    if said[0] in _EN_CONNECTED and len(said) > 1:
        said = said[1:]
    if said[0] in _EN_PRONOUN:
        return True
    if said[0] in _EN_ARTICLE and len(said) > 1:
        said = said[1:]
    return not _EN_PROPERTY.isdisjoint(said[:2]) and _EN_COPULA.match(head) is not None
