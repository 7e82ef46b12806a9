"""Near duplicates: which documents are kept."""

import random
import unittest

from manpages.duplicates import distinct, sample, shingles


def words(count, seed):
    generator = random.Random(seed)
    return [f"w{generator.randrange(10**6)}" for _ in range(count)]


def kept(texts):
    return distinct(texts, [sample(text) for text in texts])


def kept_by_all_pairs(texts):
    """The slow twin: every pair is compared."""
    sets = [shingles(text) for text in texts]
    groups = [{index} for index in range(len(texts))]
    for one in range(len(texts)):
        for other in range(one):
            if len(sets[one] & sets[other]) >= 0.5 * len(sets[one] | sets[other]) and groups[one] is not groups[other]:
                groups[one] |= groups[other]
                for index in groups[other]:
                    groups[index] = groups[one]
    return sorted({max(group, key=lambda index: (len(texts[index]), -index)) for group in map(frozenset, groups)})


class DuplicatesTest(unittest.TestCase):
    def test_of_a_page_and_its_longer_version_the_longer_is_kept(self):
        page = words(200, 1)
        self.assertEqual(kept([" ".join(page), " ".join(page + words(40, 2)), " ".join(words(200, 3))]), [1, 2])

    def test_of_equal_pages_the_first_is_kept(self):
        page = " ".join(words(100, 1))
        self.assertEqual(kept([" ".join(words(100, 2)), page, page, page]), [0, 1])

    def test_upper_case_makes_no_new_page(self):
        page = " ".join(words(100, 1))
        self.assertEqual(kept([page, page.upper()]), [0])

    def test_pages_that_share_less_than_half_are_all_kept(self):
        shared = words(100, 1)
        self.assertEqual(kept([" ".join(shared + words(200, seed)) for seed in (2, 3, 4)]), [0, 1, 2])

    def test_a_chain_of_near_duplicates_is_one_group(self):
        text = words(500, 1)
        pages = [" ".join(text[start:start + 300]) for start in (0, 90, 180)]
        self.assertEqual(len(kept(pages)), 1)
        self.assertEqual(len(kept([pages[0], pages[2]])), 2)

    def test_what_follows_the_first_1500_words_is_not_compared(self):
        beginning = words(1500, 1)
        self.assertEqual(len(kept([" ".join(beginning + words(2000, seed)) for seed in (2, 3)])), 1)

    def test_the_same_pages_are_kept_as_when_every_pair_is_compared(self):
        generator, texts = random.Random(5), []
        for seed in range(120):
            base = words(generator.randrange(80, 300), seed // 4)  # four variants of each
            for _ in range(generator.randrange(6)):
                base[generator.randrange(len(base))] = f"x{generator.randrange(10**6)}"
            texts.append(" ".join(base))
        self.assertEqual(kept(texts), kept_by_all_pairs(texts))
        self.assertLess(len(kept(texts)), 90)

    def test_a_document_shorter_than_a_shingle_is_compared_whole(self):
        self.assertEqual(shingles("Just three words"), {("just", "three", "words")})


if __name__ == "__main__":
    unittest.main()
