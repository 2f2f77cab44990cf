// Proven optimal matching of two graphs.
//
// Finds the partial one-to-one mapping of gold nodes to system nodes under which
// most tuples (weighted by kind) coincide: a sparse quadratic assignment problem,
// solved by Lagrangian decomposition. The parts, in order of use:
//
//   matching/input.hpp          the arrays that describe a pair
//   matching/tuples.hpp         sorted sets of tuples; plain counting
//   matching/builder.hpp        join on keys -> matching/problem.hpp
//   matching/neighbourhood.hpp  inner problems, one for each candidate
//   matching/assignment.hpp     the outer problem: assignment or alignment
//   matching/dual.hpp           bound and subgradient steps
//   matching/ascent.hpp         local search for good mappings
//   matching/subproblem.hpp     restriction, components, twins
//   matching/search.hpp         closing the gap; branch and bound
//   matching/climb.hpp          hill climbing, for those who want no proof
//   matching/solver.hpp         one pair from start to end; certificates
#pragma once

#include "karat/matching/solver.hpp"
