"""Balance and split of documents."""

import collections
import unittest

from manpages.selection import PER_LABEL, PER_SOURCE_AND_LABEL, Document, balanced, split


def documents(count, source="tool", label="1"):
    return [Document(f"{source}/man{label}/{number}.{label}", source, label, "text") for number in range(count)]


def of_label(chosen):
    return collections.Counter(document.label for document in chosen)


class SelectionTest(unittest.TestCase):
    def test_a_source_gives_no_more_than_its_share_of_a_label(self):
        chosen = balanced(documents(500) + documents(50, label="5"))
        self.assertEqual(of_label(chosen), {"1": PER_SOURCE_AND_LABEL, "5": 50})

    def test_the_large_source_gives_more(self):
        self.assertEqual(len(balanced(documents(500, source="freebsd-manpages"))), 450)

    def test_a_label_has_no_more_than_its_share(self):
        everything = [document for number in range(8) for document in documents(150, source=f"tool{number}")]
        self.assertEqual(len(balanced(everything)), PER_LABEL)

    def test_the_choice_is_drawn_and_always_the_same(self):
        first, second = balanced(documents(500)), balanced(documents(500))
        self.assertEqual(first, second)
        self.assertNotEqual(sorted(first), documents(PER_SOURCE_AND_LABEL))

    def test_a_document_that_goes_moves_few_others(self):
        everything = documents(400) + documents(100, label="5")
        without_one = everything[:123] + everything[124:]
        before, after = (set(split(balanced(pages))["test"]) for pages in (everything, without_one))
        self.assertLessEqual(len(before ^ after), 2)

    def test_each_label_is_split_70_10_20(self):
        splits = split(documents(100) + documents(50, label="9"))
        for name, of_1, of_9 in (("train", 70, 35), ("valid", 10, 5), ("test", 20, 10)):
            with self.subTest(name):
                self.assertEqual(of_label(splits[name]), {"1": of_1, "9": of_9})

    def test_no_document_is_lost_or_in_two_splits(self):
        for count in (30, 31, 37, 99):
            with self.subTest(count):
                splits = split(documents(count))
                self.assertEqual(sorted(sum(splits.values(), [])), sorted(documents(count)))

    def test_a_split_mixes_the_labels(self):
        labels = [document.label for document in split(documents(200) + documents(200, label="9"))["train"]]
        self.assertGreater(sum(one != other for one, other in zip(labels, labels[1:])), 50)


if __name__ == "__main__":
    unittest.main()
