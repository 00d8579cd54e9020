"""The documents that the tampered bases are made of: two languages, rules about readers, windows, links, a registry.

Small, so that a table of a hundred tamperings is made in minutes; still every kind of fact that the catalog keeps is there.
"""

from __future__ import annotations

from pathlib import Path

REGISTRY = """
entities:
  - id: urn:kb:entity:yunmai
    type: organization
    names:
      - {text: 云脉科技（深圳）有限公司, kind: legal, language: zh}
      - {text: 云脉, kind: preferred, language: zh}
      - {text: Yunmai, kind: alternate, language: en}
  - id: urn:kb:entity:norrvik
    type: organization
    names:
      - {text: Norrvik AB, kind: legal, language: en}
      - {text: Norrvik, kind: preferred, language: en}
  - id: urn:kb:entity:yungate
    type: product
    names:
      - {text: 云脉网关, kind: preferred, language: zh}
      - {text: Yungate, kind: alternate, language: en}
assertions:
  - {subject: urn:kb:entity:yunmai, relation: makes, object: urn:kb:entity:yungate, evidence: manual-2.zh.md}
  - {subject: urn:kb:entity:norrvik, relation: supplies, object: urn:kb:entity:yunmai, valid_from: 2024-01-01,
     evidence: partners.en.md}
"""

DOCUMENTS = {
    "manual-1.zh.md": """---
title: 云脉网关手册
document: manual
version: '1.0'
valid_from: 2024-01-01
---
# 云脉网关手册

云脉网关 1.0 最多承载五千个连接。

## 安装

安装前确认机柜有两路电源。上架后先接管理口，再接业务口。
""",
    "manual-2.zh.md": """---
title: 云脉网关手册
document: manual
version: '2.0'
valid_from: 2025-01-01
---
# 云脉网关手册

云脉网关 2.0 最多承载两万个连接。故障切换见 [runbook](runbook.en.md)。

## 安装

安装前确认机柜有两路电源和一路接地。上架后先接管理口，再接业务口，最后接串口。

## 证书

证书每九十天轮换一次，轮换时不断开已有连接。
""",
    "runbook.en.md": """---
title: Failover runbook
allowed_roles: [sre]
---
# Failover runbook

The standby Yungate takes over after three missed heartbeats. See [the manual](manual-2.zh.md).

## Passphrase

The passphrase of the vault is QUOKKA-7741. Change it after every failover.
""",
    "board.zh.md": """---
title: 董事会纪要
level: 3
---
# 董事会纪要

董事会决定明年三月收购 Norrvik AB，报价两亿元，消息在公布前保密。
""",
    "order.en.md": """---
title: Service order
tenant: larkfield
---
# Service order

Larkfield pays 41,000 a year for forty licences and may cancel until June.
""",
    "notice.zh.md": """---
title: 维护通知
valid_until: 2020-12-31
---
# 维护通知

苏州机房周六凌晨两点停机维护，云脉网关切换到备用线路。
""",
    "partners.en.md": """# Partners

Norrvik AB supplies the security modules in every Yungate. Yunmai buys two hundred of them a year.

## Terms

Payment is due within thirty days. The warranty lasts five years. See [the glossary](glossary.zh.md).
""",
    "glossary.zh.md": """# 术语表

## 心跳

网关每秒向备用节点发送一次心跳，连续三次没有心跳则切换。

## 配额

配额是租户每秒可以发出的请求数，超出后返回 ERR_1042。

## 令牌

令牌由密钥服务签发，十五分钟后失效。
""",
    "faq.en.md": """# Questions

## What does ERR_1042 mean?

The tenant has used up its quota. Wait a second, or ask for a larger quota.

## How long are logs kept?

Audit logs are kept for four hundred days, access logs for thirty.
""",
}

CHANGES: tuple[dict[str, str], ...] = (
    {"faq.en.md": DOCUMENTS["faq.en.md"].replace("thirty.", "sixty.")},
    {"glossary.zh.md": DOCUMENTS["glossary.zh.md"].replace("十五分钟", "二十分钟"),
     "heartbeat.en.md": "# Heartbeats\n\nA heartbeat is a datagram of forty bytes, signed with the key of the node.\n"},
)
"""What is written before the second and the third run, so that the head has a history and its indexes have been changed."""


def write(folder: Path, documents: dict[str, str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in documents.items():
        (folder / name).write_text(text, encoding="utf-8")
