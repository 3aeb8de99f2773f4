"""Tests of fake faces for training: which pixels change, what a pair shares, which methods are separate."""

from collections import Counter
from pathlib import Path

import cv2
import numpy as np
import pytest

from data.autoencoders import FAMILIES
from data.split import ListedImage, Split
from face_specialist.blend import cross_blended, poisson_paste, self_blended
from face_specialist.fakes import MIXES, Rebuilder, draw_kind
from face_specialist.groups import longest_px, targets
from face_specialist.lowres import enlarged_face, low_resolution, restored_swap
from face_specialist.masks import REGIONS, hull_mask, soft_mask
from face_specialist.perturbation import crop_of, perturb
from face_specialist.roster import DFDC, SECOND_DFDC, FaceImage, dfdc_group, dfdc_split, place
from face_specialist.triangles import reenact_face, swap_face, triangle_map
from face_specialist.two_people import SQUARE, TwoPeople, swap_person
from face_specialist.unseen import Person
from face_specialist.warp import move_mouth, reenacted, warp

SIDE_PX = 288


def face_points() -> np.ndarray:
    """Returns 66 landmarks of an average face in the middle of a stored crop."""
    turn = np.linspace(np.pi, 0, 17)
    jaw = np.stack((144 + 75 * np.cos(turn), 130 + 95 * np.sin(turn)), axis=1)
    brows = [(85 + 12 * i, 105) for i in range(5)] + [(155 + 12 * i, 105) for i in range(5)]
    nose = [(144, 120 + 12 * i) for i in range(4)] + [(130 + 7 * i, 168) for i in range(5)]
    eye = lambda x: [(x - 12, 125), (x - 5, 120), (x + 5, 120), (x + 12, 125), (x + 5, 129), (x - 5, 129)]
    ring = lambda count, across, down: [
        (144 - across * np.cos(a), 192 - down * np.sin(a)) for a in np.arange(count) * 2 * np.pi / count
    ]
    return np.array([*jaw, *brows, *nose, *eye(110), *eye(178), *ring(12, 26, 12), *ring(6, 16, 5)], np.float32)


def image(seed: int) -> np.ndarray:
    """Makes an image of noise with grains of a few pixels."""
    noise = np.random.default_rng(seed).integers(0, 256, (SIDE_PX // 4, SIDE_PX // 4, 3), np.uint8)
    return np.repeat(np.repeat(noise, 4, axis=0), 4, axis=1)


POINTS, FACE, OTHER = face_points(), image(1), image(2)


@pytest.mark.parametrize("region", REGIONS)
def test_a_part_lies_inside_the_face(region):
    mask = hull_mask(POINTS, SIDE_PX, region)
    assert 200 < mask.sum() <= hull_mask(POINTS, SIDE_PX, "whole", 0.3).sum() + 1


@pytest.mark.parametrize(
    "make",
    [
        lambda random: cross_blended(FACE, POINTS, OTHER, POINTS + 3, random),
        lambda random: low_resolution(FACE, POINTS, OTHER, POINTS + 3, random),
        lambda random: restored_swap(FACE, POINTS, OTHER, POINTS + 3, random),
        lambda random: reenacted(FACE, POINTS, random),
    ],
)
def test_a_fake_changes_the_face_and_nothing_at_the_rim(make):
    for seed in range(12):
        fake = make(np.random.default_rng(seed)).astype(int)
        difference = np.abs(fake - FACE).max(axis=2)
        assert difference[60:230, 70:220].mean() > 0.5
        assert np.concatenate((difference[0], difference[-1], difference[:, 0], difference[:, -1])).max() <= 1


def test_a_network_enlarges_a_whole_face_and_keeps_what_is_on_it():
    smooth = cv2.GaussianBlur(FACE, (0, 0), 12)
    for seed in range(4):
        enlarged = enlarged_face(smooth, np.random.default_rng(seed))
        assert enlarged.shape == smooth.shape and (enlarged != smooth).any()
        assert (
            np.abs(cv2.GaussianBlur(enlarged, (0, 0), 6).astype(int) - cv2.GaussianBlur(smooth, (0, 0), 6)).mean() < 4
        )


@pytest.mark.parametrize("mix", MIXES.values())
def test_kinds_are_drawn_by_their_shares(mix):
    assert sum(mix.kinds.values()) == pytest.approx(1)
    random = np.random.default_rng(1)
    drawn = Counter(draw_kind(mix, random) for _ in range(2000))
    assert all(drawn[kind] / 2000 == pytest.approx(share, abs=0.04) for kind, share in mix.kinds.items())


class Darker:
    """Replaces an autoencoder in tests: makes every pixel 40 grey levels darker."""

    def reconstruct(self, pixels: np.ndarray) -> np.ndarray:
        """Returns uint8 of the same shape."""
        return np.maximum(pixels, 40) - 40


def test_a_rendered_region_changes_a_part_of_the_face_and_nothing_around_it(tmp_path):
    rebuilder, parts = Rebuilder(tmp_path), set()
    rebuilder._autoencoders = dict.fromkeys(FAMILIES, Darker())
    for seed in range(24):
        made = rebuilder.render_region(np.full_like(FACE, 200), POINTS, np.random.default_rng(seed)).astype(int)
        changed = made[:, :, 0] < 198
        assert 0.005 < changed.mean() < 0.3 and 155 < made.min() < 190
        assert not changed[:60].any() and not changed[:, :40].any() and not changed[:, -40:].any()
        parts.add("above" if np.argwhere(changed)[:, 0].mean() < 150 else "below")
    assert parts == {"above", "below"}, "eyes as well as mouths are rendered"


def person(side_px: float, width: int) -> Person:
    """Makes a person whose face has this side, in an image of this width."""
    entry = FaceImage(
        ListedImage(Path("p"), "0" * 64, False, "a/b", "", "camera", "people", "test", width, 100),
        "genuine",
        "",
        "p",
        "test",
    )
    return Person(entry, side_px, FACE, np.eye(2, 3), POINTS, POINTS)


def test_faces_are_changed_that_are_judged_once_the_image_was_sent():
    wide = [person(side, 2000) for side in (400, 300, 200, 120)]
    assert [each.side_px for each in targets(wide)] == [400, 300], "120 px of 2,000 are 31 of 512"
    assert [each.side_px for each in targets(wide[2:])] == [200], "51 of 512, but 77 of 768"
    assert [each.side_px for each in targets(wide[3:])] == [120]
    assert len(targets([person(100, 500)] * 5)) == 3
    assert longest_px(person(100, 6000)) == 2000


def test_a_self_blended_face_differs_on_one_side_of_a_border_at_least():
    for seed in range(12):
        assert np.abs(self_blended(FACE, POINTS, np.random.default_rng(seed)).astype(int) - FACE).mean() > 0.2


def test_masks_are_between_nought_and_one_and_never_empty():
    for seed in range(40):
        mask = soft_mask(POINTS, SIDE_PX, np.random.default_rng(seed))
        assert mask.shape == (SIDE_PX, SIDE_PX, 1)
        assert 0.2 < mask.max() <= 1 + 1e-6
        assert mask.min() >= 0


def test_a_warp_brings_the_landmark_to_its_new_place_and_holds_the_rest():
    points, moved = POINTS.copy(), POINTS.copy()
    moved[8] += (0, 10)
    face = np.zeros_like(FACE)
    x, y = points[8].round().astype(int)
    face[y - 2 : y + 3, x - 2 : x + 3] = 255
    warped = warp(face, points, moved)
    assert warped[y + 2 : y + 14, x].max() > 150
    assert (warp(FACE, POINTS, POINTS) == FACE).all()
    assert np.allclose(move_mouth(POINTS, np.random.default_rng(1))[36:48], POINTS[36:48])


def test_a_poisson_seam_changes_nothing_beyond_the_square_around_its_mask():
    mask = hull_mask(POINTS, SIDE_PX, "inner")[:, :, None]
    difference = np.abs(poisson_paste(FACE, OTHER, mask).astype(int) - FACE).max(axis=2)
    assert difference[mask[:, :, 0] > 0.5].mean() > 10
    left, top, width, height = cv2.boundingRect((mask > 0.5).astype(np.uint8))
    difference[top : top + height, left : left + width] = 0
    assert difference.max() <= 1
    assert (poisson_paste(FACE, OTHER, np.zeros_like(mask)) == FACE).all()


def test_partners_meet_the_same_perturbation():
    for seed in range(20):
        one, two = (perturb(FACE, np.random.default_rng(seed)) for _ in range(2))
        assert (one == two).all()
        after = [np.random.default_rng(seed) for _ in range(2)]
        shapes = [perturb(crop, random).shape for crop, random in zip((FACE, OTHER), after, strict=True)]
        assert shapes == [(224, 224, 3)] * 2
        assert after[0].random() == after[1].random(), "how much is drawn depends on the pixels"


def test_the_plain_crop_is_the_middle_of_the_stored_crop():
    ramp = np.repeat(np.linspace(0, 255, SIDE_PX).round().astype(np.uint8)[None, :, None], SIDE_PX, axis=0).repeat(
        3, axis=2
    )
    crop = crop_of(ramp, None)
    assert crop[100, 0, 0] == pytest.approx(25.5, abs=2)
    assert crop[100, -1, 0] == pytest.approx(229.5, abs=2)


def test_triangles_map_landmarks_onto_landmarks():
    places, inside = triangle_map(POINTS + 5, POINTS, SIDE_PX, SIDE_PX)
    assert inside[150, 144]
    assert not inside[5, 5]
    assert np.abs(places[150, 144] - (149, 155)).max() < 1e-3


def test_triangle_fakes_change_the_face_alone():
    for make in (swap_face, reenact_face):
        driver = POINTS.copy()
        driver[57:60, 1] += 8
        difference = np.abs(make(FACE, POINTS, OTHER, driver).astype(int) - FACE).max(axis=2)
        assert difference[170:215, 120:170].mean() > 3
        assert max(difference[0].max(), difference[:, -1].max()) <= 1


def test_a_crossed_face_is_put_back_where_it_was():
    matrix = np.array(((1.0, 0, -20), (0, 1.0, -30)))
    whole = np.zeros((400, 400, 3), np.uint8) + 90
    whole[30 : 30 + SIDE_PX, 20 : 20 + SIDE_PX] = FACE
    made = swap_person(whole, FACE, POINTS, matrix, TwoPeople().eval(), 1)
    difference = np.abs(made.astype(int) - whole).max(axis=2)
    assert difference[30 + 150, 20 + 100 : 20 + 190].mean() > 5
    outside = np.ones_like(difference, bool)
    outside[30 : 30 + SIDE_PX, 20 : 20 + SIDE_PX][SQUARE] = False
    assert difference[20:25].max() == 0
    assert difference[outside].mean() < 0.5


def test_dfdc_is_split_by_the_original_video():
    assert dfdc_group({"group": "", "path": "a/aawhvztjdt_rchhpxquai_1.jpg"}) == "rchhpxquai"
    assert dfdc_group({"group": "abc", "path": ""}) == "abc"
    parts = [dfdc_split(str(video)) for video in range(2000)]
    assert 0.11 < parts.count("test") / 2000 < 0.19
    assert 0.11 < parts.count("validation") / 2000 < 0.19


def test_a_second_copy_of_a_training_video_is_used_nowhere():
    row = lambda repo, video: {"repo": repo, "group": video, "path": "", "sha256": "0" * 64}
    splits = Split()
    for video in map(str, range(40)):
        first, second = (place(row(repo, video), splits) for repo in (DFDC, SECOND_DFDC))
        assert first == (video, dfdc_split(video))
        assert second == (video, "unused" if first[1] == "train" else "test")
    assert place(row("muxspace/facial_expressions", ""), splits) == ("0" * 16, "validation")
    with pytest.raises(ValueError, match="unknown/faces is not in split.csv"):
        place(row("unknown/faces", ""), splits)
