"""Tests of the face models: removal of duplicate detections, cells, alignment, splits and measures."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from data.split import ListedImage
from face_detector.assign import assign, cells
from face_detector.boxes import Faces, suppress_overlaps
from face_detector.evaluate import Outcome, match, recall_at_precision
from face_detector.network import Detector, decode
from face_detector.teacher import Teacher
from face_specialist.align import TEMPLATE, crop_face, similarity
from face_specialist.golden import image
from face_specialist.stored import FaceStore, write_share

TEACHER = Path(__file__).parents[4] / "shared/data/weights/yunet"
GOLDEN = Path(__file__).parents[3] / "test/fixtures/face_crop.json"


def faces(*rows: tuple[float, float, float, float, float]) -> Faces:
    """Makes faces from (score, left, top, width, height), with all points in the middle."""
    values = np.array(rows, np.float32).reshape(-1, 5)
    middles = values[:, 1:3] + values[:, 3:] / 2
    return Faces(values[:, 0], values[:, 1:], np.repeat(middles[:, None], 5, axis=1))


def test_suppression_keeps_the_best_of_a_cluster_and_distant_faces():
    kept = suppress_overlaps(faces((0.7, 2, 0, 10, 10), (0.9, 0, 0, 10, 10), (0.5, 50, 50, 10, 10)), 0.3)
    assert kept.scores.tolist() == pytest.approx([0.9, 0.5])


def test_suppression_drops_a_part_found_inside_a_face_only_when_asked():
    found = faces((0.9, 0, 0, 100, 100), (0.8, 20, 20, 30, 30))
    assert len(suppress_overlaps(found, 0.3)) == 2
    assert len(suppress_overlaps(found, 0.3, 0.6)) == 1


@pytest.mark.parametrize("size_px", [10, 30, 60, 100, 300])
def test_every_face_size_has_a_cell_that_answers_for_it(size_px):
    targets = assign(faces((0.9, 5, 7, size_px, size_px)), np.ones(1), 320)
    centres, *_ = cells(320)
    answering = centres[targets.weight > 0]
    assert len(answering) > 0
    assert np.abs(answering - (5 + size_px / 2, 7 + size_px / 2)).max() <= max(0.25 * size_px, 0.55 * 32) + 1


def test_doubtful_and_cut_faces_neither_teach_nor_punish():
    found = faces((0.5, 40, 40, 60, 60), (0.95, -50, 150, 60, 60))
    targets = assign(found, np.array((1.0, 0.1)), 320)
    assert targets.weight.max() == 0
    assert targets.counted.min() == 0


def test_decoding_puts_a_cell_at_its_place_and_takes_the_mean_of_its_two_scores():
    level = torch.zeros(1, 16, 2, 3)
    level[0, :, 1, 2] = torch.tensor([0.0, 100.0, 0.5, 0.25, np.log(4), np.log(2), *[1.0, 2.0] * 5])
    score, boxes, points = decode(level, 16)
    assert score[0, 5].item() == pytest.approx(np.sqrt(0.5))
    assert boxes[0, 5].tolist() == pytest.approx([40 - 32, 20 - 16, 64, 32])
    assert points[0, 5, :2].tolist() == pytest.approx([48, 48])


@pytest.mark.skipif(not TEACHER.is_dir(), reason="the teacher's weights are not beside the project")
def test_the_detector_starts_as_its_teacher():
    network = Detector().eval()
    network.load_teacher(TEACHER / "yunet_n.pth")
    noise = np.random.default_rng(3).integers(0, 256, (8, 12, 3), dtype=np.uint8)
    pixels = noise.repeat(24, axis=0).repeat(16, axis=1)
    with torch.no_grad():
        scores, boxes, points = (values[0].numpy() for values in network(torch.from_numpy(pixels)[None]))
    best = scores.argmax()
    wanted = Teacher(TEACHER / "yunet_n_dynamic.onnx").run_once(pixels, 192, 0.0)
    assert scores[best] == pytest.approx(wanted.scores[0], abs=1e-5)
    assert np.abs(boxes[best] - wanted.boxes[0]).max() < 0.01
    assert np.abs(points[best] - wanted.points[0].ravel()).max() < 0.01


def test_alignment_brings_turned_points_onto_the_template():
    turn = 0.4
    rotation = 2.3 * np.array(((np.cos(turn), -np.sin(turn)), (np.sin(turn), np.cos(turn))))
    points = (TEMPLATE * 192) @ rotation.T + (40, 70)
    matrix = similarity(points, 192)
    assert np.abs(points @ matrix[:, :2].T + matrix[:, 2] - TEMPLATE * 192).max() < 1e-9


def test_crop_shows_the_same_place_whether_or_not_it_shrinks_first():
    waves = image(900, 700)
    points = np.array(((310, 260), (450, 262), (382, 340), (325, 412), (438, 414)), np.float64)
    fine = crop_face(waves, similarity(points, 512), 512)[:, :, :2].astype(int)
    coarse = crop_face(waves, similarity(points, 192), 192)[:, :, :2].astype(int)
    for x, y in ((40, 40), (96, 96), (150, 120)):
        at = [round((value + 0.5) * 512 / 192 - 0.5) for value in (x, y)]
        assert np.abs(fine[at[1], at[0]] - coarse[y, x]).max() <= 2


def test_golden_file_holds():
    for case in json.loads(GOLDEN.read_text())["cases"]:
        matrix = similarity(np.array(case["points"]), case["size_px"])
        assert np.allclose(matrix, case["matrix"], atol=1e-6)
        crop = crop_face(image(case["width"], case["height"]), matrix, case["size_px"])
        for pixel in case["pixels"]:
            assert np.abs(crop[pixel["y"], pixel["x"]].astype(int) - pixel["rgb"]).max() <= 2


def test_finds_on_small_or_doubtful_faces_count_neither_way():
    truth = faces((0.9, 0, 0, 100, 100), (0.5, 200, 0, 100, 100), (0.9, 0, 300, 30, 30))
    found = faces((0.9, 2, 2, 100, 100), (0.8, 200, 0, 100, 100), (0.7, 0, 300, 30, 30), (0.6, 400, 400, 90, 90))
    detections, count = match(found, truth)
    assert count == 1
    assert detections[:, 1].tolist() == [1.0, 0.0]


def test_recall_at_precision_stops_before_the_false_find():
    detections = np.array(((0.9, 1), (0.8, 1), (0.7, 0), (0.6, 1)), np.float64)
    outcomes = [Outcome("a", False, detections, 4)]
    assert recall_at_precision(outcomes, 0.97) == (0.5, 0.8)
    assert recall_at_precision(outcomes, 0.75)[0] == 0.75


POINTS = np.array(((310, 260), (450, 262), (382, 340), (325, 412), (438, 414)), np.float32)


class RedDetector:
    """Finds a face if the first pixel of the image is red."""

    def detect(self, pixels: np.ndarray, lowest_score: float) -> Faces:
        found = int(pixels[0, 0, 0] == 255)
        return Faces(
            np.full(found, 0.9, np.float32),
            np.tile(np.float32((260, 200, 240, 270)), (found, 1)),
            np.tile(POINTS, (found, 1, 1)),
        )


def test_stored_crops_go_on_where_they_stopped(tmp_path):
    listed = []
    for name, red in enumerate((255, 0, 255)):
        pixels = image(900, 700)
        pixels[0, 0, 0], pixels[:, :, 2] = red, 10 * name
        Image.fromarray(pixels).save(tmp_path / f"{name}.png")
        listed.append(
            ListedImage(tmp_path / f"{name}.png", str(name), False, "s", "none", "face", "face", "train", 900, 700)
        )
    whole, stopped = tmp_path / "whole", tmp_path / "stopped"
    write_share(listed, RedDetector(), whole, 0)
    write_share(listed[:1], RedDetector(), stopped, 0)
    with (stopped / "crops.0.bin").open("ab") as torn:
        torn.write(b"half a crop")
    write_share(listed, RedDetector(), stopped, 0)
    assert (whole / "crops.0.bin").read_bytes() == (stopped / "crops.0.bin").read_bytes()
    store = FaceStore(stopped, listed)
    assert [(stored.image.sha256, stored.count) for stored in store.images] == [("0", 1), ("2", 1)]
    last = FaceStore(stopped, listed[2:])
    assert last.crop(last.images[0], 0)[:, :, 2].mean() == pytest.approx(20, abs=1)
