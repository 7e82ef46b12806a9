"""Packages into the cache: checked, resumed, never partial."""

import contextlib
import io
import unittest
from unittest import mock

from archive_fixture import ArchiveTest, make_package, page
from manpages import apt
from manpages.apt import Unavailable
from manpages.archive import pages_in
from manpages.cache import Cache
from manpages.fetch import fetch


class FetchTest(ArchiveTest):
    def setUp(self):
        super().setUp()
        self.names = ["alpha", "beta", "gamma"]
        for seed, name in enumerate(self.names):
            make_package(self.archive, name, {f"man1/{name}.1": page(1, seed)})
        self.cache = Cache(self.folder / "cache")

    def fetch(self, names=None):
        """(names of the packages that are there, what was printed)."""
        with contextlib.redirect_stdout(io.StringIO()) as output:
            packages = fetch(names or self.names, self.cache)
        self.assertTrue(all(map(self.cache.holds, packages)))
        return [package.name for package in packages], output.getvalue()

    def test_packages_are_looked_up_and_downloaded_once(self):
        self.assertEqual(self.fetch()[0], self.names)
        self.assertEqual(self.calls(), ["download True alpha beta gamma", "download False alpha beta gamma"])
        names, output = self.fetch()
        self.assertEqual((names, self.calls()), (self.names, []))
        self.assertIn("in the cache, unchanged", output)

    def test_a_changed_file_in_the_cache_is_downloaded_again(self):
        self.fetch()
        self.calls()
        path = next(self.cache.folder.glob("beta_*.deb"))
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 1
        path.write_bytes(data)
        self.assertEqual(self.fetch()[0], self.names)
        self.assertEqual(self.calls(), ["download True alpha beta gamma", "download False beta"])

    def test_a_partial_file_is_not_taken_and_the_next_run_fetches_it_alone(self):
        self.set_environment(FAKE_BROKEN="beta")
        with self.assertRaisesRegex(Unavailable, "only 2 of 3 packages .* run again"):
            self.fetch()
        self.assertEqual(sorted(path.name for path in self.cache.folder.glob("*.deb")),
                         ["alpha_1.0_all.deb", "gamma_1.0_all.deb"])
        self.assertEqual([path.name for path in self.cache.incoming.iterdir()], ["beta_1.0_all.deb"])
        self.calls()
        self.set_environment(FAKE_BROKEN="")
        self.assertEqual(self.fetch()[0], self.names)
        self.assertEqual(self.calls(), ["download True alpha beta gamma", "download False beta"])

    def test_what_arrived_before_an_interrupt_is_kept(self):
        def interrupted(_, packages, folder, watch):
            (folder / "alpha_1.0_all.deb").write_bytes((self.archive / "alpha_1.0_all.deb").read_bytes())
            (folder / "beta_1.0_all.deb").write_bytes(b"!<arch>")
            raise KeyboardInterrupt

        with mock.patch.object(apt.Apt, "download", interrupted), self.assertRaises(KeyboardInterrupt):
            self.fetch()
        self.assertEqual([path.name for path in self.cache.folder.glob("*.deb")], ["alpha_1.0_all.deb"])
        self.calls()
        self.assertEqual(self.fetch()[0], self.names)
        self.assertEqual(self.calls()[1:], ["download False beta gamma"])

    def test_a_file_with_the_wrong_contents_is_thrown_away(self):
        self.cache.record(apt.Apt(self.folder / "lists").look_up(self.names))
        beta = self.cache.recorded()["beta"]
        (self.cache.incoming / beta.file).write_bytes(b"x" * beta.size)
        self.cache.accept([beta])
        self.assertFalse(self.cache.holds(beta))
        self.assertEqual(list(self.cache.incoming.iterdir()), [])

    def test_without_package_lists_own_ones_are_fetched(self):
        self.set_environment(FAKE_NO_LISTS="yes")
        self.assertEqual(self.fetch()[0], self.names)
        self.assertEqual([call.split()[0] for call in self.calls()], ["download", "update", "download", "download"])
        self.assertTrue((self.cache.folder / "lists" / "state" / "fetched").exists())

    def test_without_package_lists_and_network_nothing_can_be_had(self):
        self.set_environment(FAKE_NO_LISTS="offline")
        with self.assertRaisesRegex(Unavailable, "no network"):
            self.fetch()

    def test_without_apt_nothing_can_be_had(self):
        self.set_environment(PATH=str(self.folder))
        with self.assertRaisesRegex(Unavailable, "no apt-get"):
            self.fetch()

    def test_a_full_cache_needs_no_apt(self):
        self.fetch()
        self.set_environment(PATH=str(self.folder))
        self.assertEqual(self.fetch()[0], self.names)

    def test_one_unknown_name_among_many_is_reported_and_left_out(self):
        for number in range(10):
            make_package(self.archive, f"more{number}", {})
        names, output = self.fetch(self.names + [f"more{number}" for number in range(10)] + ["unknown"])
        self.assertEqual(len(names), 13)
        self.assertIn("Going on without 1 packages that could not be had: unknown", output)

    def test_a_version_with_an_epoch_is_read_from_the_file_name(self):
        make_package(self.archive, "delta", {}, version="2:1.5-1").rename(self.archive / "delta_2:1.5-1_all.deb")
        package, = apt.Apt(self.folder / "lists").look_up(["delta"])
        self.assertEqual((package.name, package.version, package.file), ("delta", "2:1.5-1", "delta_2%3a1.5-1_all.deb"))

    def test_a_record_that_is_damaged_is_made_again(self):
        (self.cache.folder / "packages.json").write_text("[1, 2")
        self.assertEqual(self.fetch()[0], self.names)


class ArchiveFileTest(ArchiveTest):
    def test_pages_come_sorted_from_a_package(self):
        texts = {"man8/b.8": "b", "man1/a.1": "a", "de/man1/a.1": "no", "man1x/c.1": "no"}
        deb = make_package(self.archive, "tool", texts)
        self.assertEqual([(found.source, found.name) for found in pages_in(deb, "tool")],
                         [("tool", "man1/a.1.gz"), ("tool", "man8/b.8.gz")])

    def test_a_file_that_is_no_package_is_an_error_with_its_name(self):
        path = self.folder / "broken.deb"
        path.write_bytes(b"nothing")
        with self.assertRaisesRegex(OSError, "broken.deb"):
            pages_in(path, "broken")


if __name__ == "__main__":
    unittest.main()
