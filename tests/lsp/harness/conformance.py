"""Checks whether a session's messages conform to the protocol and to the client's capabilities."""

from collections.abc import Iterator

from lsp.harness import abilities, contents, envelope, places
from lsp.harness.progress import Progress
from lsp.harness.session import Message, Session
from lsp.harness.traffic import Traffic

CHECKS = (envelope.check, abilities.check, contents.check, places.check)


def problems(traffic: Traffic) -> list[str]:
    """The problems in the messages of a session, one per line; empty if there are none."""
    return list(_problems(traffic))


def _problems(traffic: Traffic) -> Iterator[str]:
    session, progress = Session(), Progress()
    for index, record in enumerate(traffic):
        message = session.message(index, record)
        for step in (*CHECKS, progress.check, _feed):
            try:
                yield from (f"{message}: {text}" for text in step(session, message))
            except (KeyError, TypeError, AttributeError, ValueError, IndexError) as error:
                if not message.deliberate:
                    yield f"{message}: a part is missing or of the wrong kind: {error!r}"
    yield from envelope.check_end(session)
    yield from progress.check_end()


def _feed(session: Session, message: Message) -> Iterator[str]:
    session.feed(message)
    return iter(())
