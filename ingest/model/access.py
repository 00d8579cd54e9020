"""Who may see a row, and who is asking.

The rule of the product in one place: `Access.admits`. Indexes hold the same rule as three columns (tenant, level, `acl`),
so that each can apply it before ranking; `Access.acl` and `Principal.tokens` are the two sides of that encoding and must agree
with `admits`, which a property test holds them to.
"""

from __future__ import annotations

from dataclasses import dataclass

EVERYBODY = "*"


@dataclass(frozen=True, slots=True)
class Principal:
    """The caller. The default is nobody: clearance 0, no tenant, in no list."""

    user: str | None = None
    roles: tuple[str, ...] = ()
    tenant: str | None = None
    level: int = 0

    def tokens(self) -> tuple[str, ...]:
        """The `acl` entries that admit this caller."""
        mine = [EVERYBODY]
        if self.user:
            mine.append(f"u:{self.user}")
        mine.extend(f"r:{role}" for role in self.roles)
        return tuple(mine)


@dataclass(frozen=True, slots=True)
class Access:
    """What a document says of its readers. `users` and `roles` are allow-lists; None means that no list was given.

    An empty list is a list: it admits nobody. `*` in a list admits everybody.
    """

    tenant: str | None = None
    users: tuple[str, ...] | None = None
    roles: tuple[str, ...] | None = None
    level: int = 0

    def admits(self, who: Principal) -> bool:
        """Tenant absent or the caller's, level within clearance, and no list or a list that names the caller."""
        if self.tenant is not None and self.tenant != who.tenant:
            return False
        if self.level > who.level:
            return False
        return bool(set(self.acl()) & set(who.tokens()))

    def acl(self) -> tuple[str, ...]:
        """The lists as one sorted column; `("*",)` when there is no list, `()` when the lists admit nobody."""
        if self.users is None and self.roles is None:
            return (EVERYBODY,)
        entries = {EVERYBODY if user == EVERYBODY else f"u:{user}" for user in self.users or ()}
        entries |= {EVERYBODY if role == EVERYBODY else f"r:{role}" for role in self.roles or ()}
        return tuple(sorted(entries))

    def narrowed(self, other: Access) -> Access:
        """Return a rule that admits nobody whom either of the two does not. Of two lists, entries that are on both stay."""
        if None not in (self.tenant, other.tenant) and self.tenant != other.tenant:
            return Access(self.tenant, (), (), max(self.level, other.level))
        tenant, level = self.tenant or other.tenant, max(self.level, other.level)
        open_, listed = (self, other) if EVERYBODY in self.acl() else (other, self)
        if EVERYBODY in open_.acl():
            return Access(tenant, listed.users, listed.roles, level)
        return Access(tenant, _on_both(self.users, other.users), _on_both(self.roles, other.roles), level)

    def at_least_as_open_as(self, other: Access) -> bool:
        """Whether everybody whom `other` admits is admitted here too (used where one document closes another's window)."""
        if self.tenant is not None and self.tenant != other.tenant:
            return False
        if self.level > other.level:
            return False
        mine = set(self.acl())
        return EVERYBODY in mine or set(other.acl()) <= mine


def _on_both(one: tuple[str, ...] | None, other: tuple[str, ...] | None) -> tuple[str, ...] | None:
    """The entries of both lists; no list where neither was given, so that a rule narrowed by itself is itself."""
    if one is None and other is None:
        return None
    return tuple(sorted(set(one or ()) & set(other or ())))
