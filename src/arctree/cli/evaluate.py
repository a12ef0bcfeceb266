EXAMPLES = ""


def run() -> None: ...
