"""Of what sort a thing is, by the noun that its definition names: "a *novella* by …" is a work."""

from __future__ import annotations

import re

from .spelling import word_set

_PERSONS = re.compile(
    r"(?:ist|[^v]ian|[^ac]er|tor|ogue|poet|king|queen|emperor|politician|president|statesman|lawyer|actor|actress|monarch"
    r"|singer|soldier|general|astronaut|pope|saint|prophet|hero|goddess|god|character|author|prince|princess|pilot|son"
    r"|daughter|niece|nephew|wife|husband|brother|sister|mother|father|nobleman|deity|deitie|scholar|grandson|granddaughter|founder"
    r"|professor|producer|officer|priest|monk|bishop|woman|sman)s?$"
)
_NOT_PERSONS = word_set(
    """
    number power river tower water paper matter order letter computer chapter member cluster center factor vector sector
    motor fighter border disorder parameter container reactor layer polymer monomer carrier transporter biomolecule
    receptor meter barrier dimer isomer linker buffer conductor generator marker regulator inhibitor cover character
    theater theatre
    """
)
_SORTS = {
    "place": """country state province city town village island region territory river continent nation kingdom republic
        county ocean sea lake mountain capital district municipality principality empire""",
    "organisation": """organization organisation company institute university institution party agency corporation
        association union church army force forces league conference committee museum network group band""",
    "work": """novel book film movie song poem novella composition album play magazine journal newspaper painting opera
        series programme program story essay anthem symphony documentary""",
    "study": """branch field science study discipline theory philosophy doctrine art technology tradition movement
        religion hobby sport""",
    "living": """order class species mammal family genus animal plant bird fish insect phylum subclass organism tribe
        breed""",
    "event": "war battle revolution ceremony festival event award mission conflict treaty flight",
    "language": "language languages dialect alphabet script code standard",
    "condition": "disorder disease syndrome condition illness infection",
    "measure": "unit ratio quantity measure scale number value rate mean sum",
    "magnitude": "energy amount concentration force pressure temperature potential gradient",
    "fluid": "fluid liquid gas mixture solution",
    "matter": """substance compound element chemical metal mineral acid molecule material ion protein
        enzyme lipid fat sugar hormone pigment polymer monomer macromolecule carbohydrate
        polysaccharide nucleotide antibody catalyst transporter kinase base drug""",
    "cell": "cell cells neuron lymphocyte",
    "structure": """structure organelle region membrane part filament network tube fiber fibre layer wall body
        tissue organ vesicle junction channel compartment sac gland bone vessel site constriction appendage
        muscle nerve""",
    "stage": "stage phase period",
    "process": """process act procedure operation ending formation removal conversion reading hearing development
        division reaction movement transport pathway mechanism growth synthesis breakdown transfer change
        response cycle fusion release loss variation""",
}
#: Things, though they end like what goes on.
_NOT_PROCESSES = word_set(
    "covering opening ring string wing spring coating lining building swelling clearing being thing king"
)
_SORT_OF = {genus: sort for sort, words in _SORTS.items() for genus in words.split()}


def sort_of(genus: str) -> str:
    """``person``, ``place``, ``work`` and the like; "" where the noun does not show it."""
    one = genus if genus in _SORT_OF else genus.removesuffix("s")
    if one not in _SORT_OF and one not in _NOT_PERSONS and _PERSONS.search(one):  # a "fiber" is no person
        return "person"
    return _SORT_OF.get(one, "process" if genus.endswith("ing") and genus not in _NOT_PROCESSES else "")
