"""A plan's questions as a content package of QTI 2.1, which learning management systems import.

The package has one file for each question, a test with a section for each concept, and the manifest. Elements and their
order are those of ``imsqti_v2p1.xsd`` and ``imscp_v1p1.xsd``.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Mapping, Sequence
from datetime import datetime
from xml.etree import ElementTree as ET

from .records import BLANK, Question

_QTI, _PACKAGE = "http://www.imsglobal.org/xsd/imsqti_v2p1", "http://www.imsglobal.org/xsd/imscp_v1p1"
_SCHEMAS = {
    _QTI: "http://www.imsglobal.org/xsd/qti/qtiv2p1/imsqti_v2p1.xsd",
    _PACKAGE: "http://www.imsglobal.org/xsd/qti/qtiv2p1/qtiv2p1_imscpv1p2_v1p0.xsd",
}
_TEMPLATES = "http://www.imsglobal.org/question/qti_v2p1/rptemplates/"
_TEST = "test.xml"
#: Of a zip; a machine without a battery begins in 1970.
_FIRST, _LAST = (1980, 1, 1, 0, 0, 0), (2107, 12, 31, 23, 59, 59)
_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def qti(title: str, slug: str, names: Mapping[str, str], questions: Sequence[Question], at: datetime) -> bytes:
    """The package as a zip; ``names``: of the concepts, by key, ``at``: the moment that its files are given."""
    files = {f"items/{_name(question)}.xml": _item(question) for question in questions}
    files[_TEST] = _test(title, slug, names, questions)
    files["imsmanifest.xml"] = _manifest(slug, questions)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, root in files.items():
            ET.indent(root)
            info = zipfile.ZipInfo(name, min(max(_FIRST, at.timetuple()[:6]), _LAST))
            archive.writestr(info, ET.tostring(root, encoding="UTF-8", xml_declaration=True), zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def _item(question: Question) -> ET.Element:
    root = _root("assessmentItem", _QTI, identifier=_name(question), title=valid_text(question.text)[:200])
    root.attrib |= {"adaptive": "false", "timeDependent": "false"}
    choice = question.form == "choice"
    declared = _add(root, "responseDeclaration", identifier="RESPONSE", cardinality="single")
    declared.set("baseType", "identifier" if choice else "string")
    _add(_add(declared, "correctResponse"), "value", _option(question, question.key) if choice else question.key)
    if question.form == "blank":
        mapping = _add(declared, "mapping", defaultValue="0")
        for answer in dict.fromkeys((question.key, *question.also)):
            _add(mapping, "mapEntry", mapKey=answer, mappedValue="1", caseSensitive="false")
    score = _add(root, "outcomeDeclaration", identifier="SCORE", cardinality="single", baseType="float")
    _add(_add(score, "defaultValue"), "value", "0")
    body = _add(root, "itemBody")
    if choice:
        asked = _add(body, "choiceInteraction", responseIdentifier="RESPONSE", shuffle="true", maxChoices="1")
        _add(asked, "prompt", question.text)
        for option in question.options:
            _add(asked, "simpleChoice", option, identifier=_option(question, option))
    elif question.form == "blank":
        before, _, behind = question.text.partition(BLANK)
        entry = _add(_add(body, "p", before), "textEntryInteraction", responseIdentifier="RESPONSE")
        entry.tail = valid_text(behind)
    else:
        asked = _add(body, "extendedTextInteraction", responseIdentifier="RESPONSE", expectedLines="4")
        _add(asked, "prompt", question.text)
    rubric = _add(body, "rubricBlock", view="author scorer tutor")
    _add(rubric, "p", question.key)
    _add(rubric, "p", question.explanation)
    for source in question.sources:
        paragraph = _add(rubric, "p", f"[{source.index}] {source.page_title}")
        if source.public_url:
            paragraph.text = f"[{source.index}] "
            _add(paragraph, "a", source.page_title, href=source.public_url)
    if question.form != "open":
        template = "match_correct" if choice else "map_response"
        _add(root, "responseProcessing", template=_TEMPLATES + template)
    return root


def _test(title: str, slug: str, names: Mapping[str, str], questions: Sequence[Question]) -> ET.Element:
    root = _root("assessmentTest", _QTI, identifier=f"test-{slug}", title=valid_text(title))
    part = _add(root, "testPart", identifier="part", navigationMode="nonlinear", submissionMode="individual")
    for at, concept in enumerate(dict.fromkeys(question.concept for question in questions), start=1):
        section = _add(part, "assessmentSection", identifier=f"section-{at}", title=names.get(concept, concept))
        section.set("visible", "true")
        for question in questions:
            if question.concept == concept:
                name = _name(question)
                _add(section, "assessmentItemRef", identifier=name, href=f"items/{name}.xml")
    return root


def _manifest(slug: str, questions: Sequence[Question]) -> ET.Element:
    root = _root("manifest", _PACKAGE, identifier=f"manifest-{slug}")
    about = _add(root, "metadata")
    _add(about, "schema", "QTIv2.1 Package")
    _add(about, "schemaversion", "1.0.0")
    _add(root, "organizations")
    resources = _add(root, "resources")
    test = _add(resources, "resource", identifier="resource-test", type="imsqti_test_xmlv2p1", href=_TEST)
    _add(test, "file", href=_TEST)
    for question in questions:
        name = _name(question)
        _add(test, "dependency", identifierref=f"resource-{name}")
        href = f"items/{name}.xml"
        item = _add(resources, "resource", identifier=f"resource-{name}", type="imsqti_item_xmlv2p1", href=href)
        _add(item, "file", href=href)
    return root


def _root(name: str, namespace: str, **known: str) -> ET.Element:
    schema = f"{namespace} {_SCHEMAS[namespace]}"
    xsi = "http://www.w3.org/2001/XMLSchema-instance"
    return ET.Element(name, {"xmlns": namespace, "xmlns:xsi": xsi, "xsi:schemaLocation": schema, **known})


def _add(parent: ET.Element, name: str, text: str = "", **known: str) -> ET.Element:
    made = ET.SubElement(parent, name, {key: valid_text(value) for key, value in known.items()})
    made.text = valid_text(text) or None
    return made


def _option(question: Question, option: str) -> str:
    return f"option-{question.options.index(option) + 1}"


def _name(question: Question) -> str:
    return f"question-{question.question_id}"


def valid_text(text: str) -> str:
    """Without what XML cannot hold."""
    return _NO_XML.sub("\ufffd", text)
