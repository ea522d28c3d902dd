"""What the property-based client does not know of the store by itself."""

import json

import schemathesis


@schemathesis.serializer("application/x-ndjson")
def lines(context, value):
    """Sends text as it is, and anything else as one line of JSON."""
    text = value if isinstance(value, str) else json.dumps(value)
    return text.encode("utf-8", errors="surrogatepass")
