"""The most important pages of a web of links: PageRank by products of a sparse matrix with a vector.

python pagerank.py --size 1000000 --picture ranks.png
"""

import numpy as np
import scipy.sparse as sp
from side_by_side import check, measure, options, pyplot, report

import gpunp
import gpunp_scipy

LINKS, STEPS, DAMPING = 12, 60, 0.85


def web(rng, pages):
    """Random links, of which few pages get most; some pages have none."""
    source = rng.integers(0, pages, LINKS * pages)
    target = (pages * rng.random(LINKS * pages) ** 4).astype(int)
    order = rng.permutation(pages)
    kept = source % 10 > 0
    links = sp.coo_array((np.ones(kept.sum()), (source[kept], order[target[kept]])), shape=(pages, pages))
    return links.tocsr()


def rank(links):
    """How often a surfer visits each page who follows links, and jumps to any page now and then."""
    pages = links.shape[0]
    count = links.sum(axis=1)
    to = links.T.tocsr()
    share = np.where(count > 0, 1 / np.maximum(count, 1), 0)
    found = np.full_like(count, 1 / pages)
    for _ in range(STEPS):
        # From pages without links, the surfer jumps.
        jumps = 1 - DAMPING + DAMPING * np.sum(np.where(count > 0, 0, found))
        found = DAMPING * (to @ (found * share)) + jumps / pages
    return found


def main():
    arguments = options(__doc__, 20000, "pages", "the ranks and the pattern of the links")
    links = web(np.random.default_rng(1), arguments.size)
    expected, numpys = measure(rank, links, repeats=arguments.repeats)
    found, ours = measure(rank, gpunp_scipy.sparse.csr_array(links), repeats=arguments.repeats)
    report(
        f"ranks of {arguments.size} pages with {links.nnz} links",
        {"NumPy": numpys, "gpunp": ours},
        sum_of_ranks=f"{float(np.sum(found)):.6f}",
        differences_from_NumPy=check(found, expected, 1e-12),
    )
    if arguments.picture:
        plt = pyplot()
        figure, (left, right) = plt.subplots(1, 2, figsize=(8, 4))
        best = np.argsort(-found)[:200]
        left.spy(links[gpunp.asnumpy(best)][:, gpunp.asnumpy(best)], markersize=1)
        left.set_title("links between the 200 pages of the highest rank", fontsize=9)
        right.loglog(np.arange(1, arguments.size + 1), gpunp.asnumpy(np.sort(found))[::-1])
        right.set_title("ranks", fontsize=9)
        figure.tight_layout()
        figure.savefig(arguments.picture, dpi=90)
        print(f"  saved {arguments.picture}")


if __name__ == "__main__":
    main()
