"""The whole tool, from packages or installed pages to the files."""

import argparse
import contextlib
import gzip
import importlib.machinery
import importlib.util
import io
import json
import pathlib
import subprocess
import unittest
from unittest import mock

from archive_fixture import ArchiveTest, make_package, page
from manpages.dataset import TooFewPages
from manpages.installed import installed_pages

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools" / "get_manpages"


def load_tool():
    loader = importlib.machinery.SourceFileLoader("get_manpages", str(TOOL))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("get_manpages", loader))
    loader.exec_module(module)
    return module


class GetManpagesTest(ArchiveTest):
    def setUp(self):
        super().setUp()
        self.tool = load_tool()
        for label in (1, 8):
            make_package(self.archive, f"tool{label}",
                         {f"man{label}/p{seed}.{label}": page(label, 100 * label + seed) for seed in range(40)})
        self.output = self.folder / "man"
        self.output.mkdir()

    def run_tool(self, names=("tool1", "tool8")):
        arguments = argparse.Namespace(cache=self.folder / "cache", output=self.output)
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            self.tool.from_packages(arguments, list(names))
        return printed.getvalue()

    def records(self, split):
        with gzip.open(self.output / f"{split}.jsonl.gz", "rt") as lines:
            return [json.loads(line) for line in lines]

    def test_packages_become_three_splits(self):
        printed = self.run_tool()
        self.assertEqual([len(self.records(split)) for split in ("train", "valid", "test")], [56, 8, 16])
        record = self.records("train")[0]
        self.assertEqual(list(record), ["label", "text", "id"])
        self.assertRegex(record["id"], rf"^tool{record['label']}/man{record['label']}/p\d+\.{record['label']}$")
        self.assertRegex(record["text"], r"^See open\. word")
        self.assertIn("80 chosen", printed)
        self.assertLessEqual(len(printed.splitlines()), 20)

    def test_the_notes_name_packages_and_licences(self):
        self.run_tool()
        self.assertIn("/usr/share/doc/PACKAGE/copyright", (self.output / "README.txt").read_text())
        self.assertRegex((self.output / "packages.tsv").read_text(), r"(?m)^tool8\t1\.0\t\d+\tsha256:[0-9a-f]{64}\t40$")

    def test_the_same_packages_give_the_same_bytes_and_are_not_read_twice(self):
        self.run_tool()
        first = {path.name: path.read_bytes() for path in self.output.iterdir()}
        self.assertIn("Nothing to do", self.run_tool())
        (self.output / "recipe.sha256").unlink()
        self.assertNotIn("Nothing to do", self.run_tool())
        self.assertEqual({path.name: path.read_bytes() for path in self.output.iterdir()}, first)

    def test_too_few_pages_are_an_error_with_counts(self):
        with self.assertRaisesRegex(TooFewPages, "2 sections .* 30 pages are needed, found section 1: 40"):
            self.run_tool(["tool1"])
        self.assertFalse((self.output / "train.jsonl.gz").exists())

    def test_a_section_with_too_few_pages_is_left_out(self):
        make_package(self.archive, "tool5", {f"man5/p{seed}.5": page(5, seed) for seed in range(29)})
        self.run_tool(["tool1", "tool5", "tool8"])
        self.assertEqual({record["label"] for record in self.records("train")}, {"1", "8"})

    def test_without_network_the_installed_pages_are_taken(self):
        self.set_environment(FAKE_NO_LISTS="offline")
        manual = self.folder / "share"
        for label in (2, 3):
            (manual / f"man{label}").mkdir(parents=True)
            for seed in range(30):
                (manual / f"man{label}" / f"p{seed}.{label}").write_text(page(label, 100 * label + seed))
        (self.folder / "info").mkdir()
        (self.folder / "info" / "owner:all.list").write_text(f"{manual}/man2/p0.2\n")
        pages = installed_pages(manual, self.folder / "info")
        arguments = ["get_manpages", "--cache", str(self.folder / "cache"), "--output", str(self.output)]
        with mock.patch("sys.argv", arguments), mock.patch.object(self.tool, "installed_pages", lambda: pages), \
                contextlib.redirect_stderr(io.StringIO()) as errors, contextlib.redirect_stdout(io.StringIO()):
            self.tool.main()
        self.assertIn("no network", errors.getvalue())
        self.assertEqual(len(errors.getvalue().splitlines()), 2)
        ids = {record["id"] for split in ("train", "valid", "test") for record in self.records(split)}
        self.assertEqual(len(ids), 60)
        self.assertTrue({"owner/man2/p0.2", "system/man2/p1.2"} <= ids)

    def test_a_wrong_option_is_a_usage_error(self):
        run = subprocess.run([str(TOOL), "--nonsense"], stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(run.returncode, 2)


if __name__ == "__main__":
    unittest.main()
