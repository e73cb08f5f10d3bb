"""unpack_wheel.py WHEEL FOLDER: the C library and the C headers out of a TensorFlow wheel.

zipfile checks the CRC of every member it writes, so a damaged download is an error here.
"""

import re
import shutil
import sys
import zipfile
from pathlib import Path

WANTED = re.compile(
    r"tensorflow/(?P<lib>libtensorflow_(cc|framework)\.(so\.2|2\.dylib))$"
    r"|tensorflow/(?P<include>include/(tensorflow/c|tensorflow/core/platform|tsl|xla/tsl)/.+\.h)$"
)

wheel, folder = sys.argv[1], Path(sys.argv[2])
with zipfile.ZipFile(wheel) as archive:
    for member in archive.infolist():
        found = WANTED.match(member.filename)
        if found is None:
            continue
        target = folder / ("lib/" + found["lib"] if found["lib"] else found["include"])
        target.parent.mkdir(parents=True, exist_ok=True)
        with archive.open(member) as source, open(target, "wb") as sink:
            shutil.copyfileobj(source, sink, 1 << 20)
