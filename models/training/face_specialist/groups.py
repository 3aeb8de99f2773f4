"""Makes test images: genuine photographs of two to five people in which one face is changed.

    python -m face_specialist.groups --split test --face-detector ../face_detector --landmarks MODEL --images IMAGES
        --sources CSV --faces FACES --faces-csv CSV --out GROUPS

The methods come from `face_specialist.unseen`. Writes PNG files and `SPLIT.csv`. Up to three faces of each image are
changed, each in its own copy by each method, while the other faces stay unchanged. The new face comes from another
image.
"""

import cv2
import numpy as np
from tqdm import tqdm

from data.degrade import LEVELS
from export.command import command_parser
from face_detector.detect import FaceDetector
from face_specialist.align import SMALLEST_FACE_PX
from face_specialist.landmarks import LandmarkDetector
from face_specialist.roster import GREY, from_faces, from_sources
from face_specialist.unseen import LONGEST_PX, SMALLEST_PX, MadeFolder, Person, make_fake, people_in

MADE_GROUP = "made-group"
"""Name of this kind of image."""
MIN_GROUP_FACES, MAX_GROUP_FACES = 2, 5
METHODS = ("triangle-swap", "triangle-reenactment")
MAX_GROUPS = 80
"""Maximum number of images of a split, chosen by hash. New faces come from images among those read until then."""
MAX_IMAGE_FACES = 3
"""Maximum number of faces of one image that are changed, each in a separate copy."""


def longest_px(person: Person) -> int:
    """Returns the longer side in px of a person's image, in the size in which fakes are made."""
    return min(LONGEST_PX, max(person.entry.image.width, person.entry.image.height))


def targets(people: list[Person]) -> list[Person]:
    """Chooses the people whose face is changed.

    These are people whose face is still large enough for a score at the heavy level, otherwise at the web level,
    otherwise anyone.
    """
    for longest in (LEVELS["hard"][0], LEVELS["web"][0]):
        chosen = [each for each in people if each.side_px * min(1.0, longest / longest_px(each)) >= SMALLEST_FACE_PX]
        if chosen:
            return chosen[:MAX_IMAGE_FACES]
    return people[:MAX_IMAGE_FACES]


def main() -> None:
    parser = command_parser(__doc__, "face-detector", "landmarks", "images", "sources", "faces", "faces-csv", "out")
    parser.add_argument("--split", choices=("validation", "test"), required=True)
    args = parser.parse_args()
    cv2.setNumThreads(1)
    detector, landmarks, random = (
        FaceDetector(args.face_detector),
        LandmarkDetector(args.landmarks),
        np.random.default_rng(29),
    )
    roster = [*from_sources(args.images, args.sources), *from_faces(args.faces, args.faces_csv)]
    photographs = [
        entry for entry in roster if entry.split == args.split and entry.is_photograph and entry.image.source != GREY
    ]
    found, groups = [], []
    for entry in tqdm(photographs, unit="image", mininterval=20):
        found.append(people_in(entry, detector, landmarks, SMALLEST_FACE_PX))
        if MIN_GROUP_FACES <= len(found[-1]) <= MAX_GROUP_FACES:
            groups.append(found[-1])
        if len(groups) == MAX_GROUPS:
            break
    # As in `unseen`, the new face must be large, so it comes from an image that it nearly fills.
    others = [people[0] for people in found if people and people[0].side_px >= SMALLEST_PX]
    folder, made = MadeFolder(args.out, args.split), 0
    for people in groups:
        for method in METHODS:
            for face, person in enumerate(targets(people)):
                pixels = make_fake(method, person, others, random)
                if pixels is not None:
                    folder.add(pixels, method, person.entry, face)
                    made += 1
    folder.close()
    print(f"{made} made of {len(groups)} images of {MIN_GROUP_FACES} to {MAX_GROUP_FACES} people")


if __name__ == "__main__":
    main()
