/* The biLM's inner loops for a CPU: a packed matrix product, and the LSTM recurrence fused around it.
 *
 * Written with the vector extension of GCC and Clang, so that one source serves AVX-512, AVX2 and NEON. Weights are packed
 * (compiled.py) into panels of COLUMNS columns, so that the innermost loop reads them in order. In the recurrence a panel
 * holds the four gates (i, f, g, o) of LANES units, so that the cell runs on sums that are still in registers.
 *
 * Every row is summed in the same order whichever tile it falls into: a sentence's numbers do not depend on its neighbours.
 */
#include <stdint.h>
#include <string.h>

#if defined(__AVX512F__)
#include <immintrin.h>
#define LANES 16
#define TILE_ROWS 6
#define SMALLER(a, b) ((vec)_mm512_min_ps((__m512)(a), (__m512)(b)))
#define LARGER(a, b) ((vec)_mm512_max_ps((__m512)(a), (__m512)(b)))
#elif defined(__AVX__)
#include <immintrin.h>
#define LANES 8
#define TILE_ROWS 3
#define SMALLER(a, b) ((vec)_mm256_min_ps((__m256)(a), (__m256)(b)))
#define LARGER(a, b) ((vec)_mm256_max_ps((__m256)(a), (__m256)(b)))
#else
#define LANES 4
#define TILE_ROWS 6
#define SMALLER(a, b) choose((a) < (b), (a), (b))
#define LARGER(a, b) choose((a) > (b), (a), (b))
#endif

#define VECTORS 4 /* one for each gate */
#define COLUMNS (VECTORS * LANES)
#define DEPTH 512     /* rows of weights in a panel: a panel stays in the second-level cache */
#define BLOCK_ROWS 96 /* rows of input that stay in the cache while all panels pass by */
#define CACHE_LINE 16 /* floats */
#define LINES (COLUMNS / CACHE_LINE) /* of a panel's row */

typedef float vec __attribute__((vector_size(LANES * 4)));
typedef float vec_anywhere __attribute__((vector_size(LANES * 4), aligned(4)));
typedef int32_t ivec __attribute__((vector_size(LANES * 4)));

int lanes(void) { return LANES; }
int columns(void) { return COLUMNS; }
int depth(void) { return DEPTH; }

#define INLINE static inline __attribute__((always_inline))

INLINE vec load(const float *p) { return *(const vec_anywhere *)p; }
INLINE void store(float *p, vec x) { *(vec_anywhere *)p = x; }
INLINE vec all(float x) { return (vec){0} + x; }
INLINE vec choose(ivec mask, vec a, vec b) { return (vec)(((ivec)a & mask) | ((ivec)b & ~mask)); }
/* The operands' order lets a NaN through, so that it shows in the output. */
INLINE vec clip(vec x, float limit) { return LARGER(all(-limit), SMALLER(all(limit), x)); }

/* e^x within 2 ulp. Beyond 40 in either direction the sigmoid and the tangent below have reached their limits. */
INLINE vec exponential(vec x) {
    x = clip(x, 40.f);
    const float round_to_integer = 12582912.f; /* 1.5 * 2^23 */
    vec shifted = x * 1.44269504f + round_to_integer;
    vec n = shifted - round_to_integer;
    vec r = x - n * 0.693359375f + n * 2.12194440e-4f; /* ln 2 in two parts */
    vec p = all(1.9875691500e-4f);
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * (r * r) + r + 1.f;
    return (vec)((ivec)p + ((ivec)shifted << 23)); /* times 2^n, by adding n to the exponent's bits */
}

/* sigmoid(a) * tanh(b), with one division. */
INLINE vec sigmoid_tanh(vec a, vec b) {
    vec ea = exponential(-a), eb = exponential(-2.f * b);
    return (1.f - eb) / ((1.f + ea) * (1.f + eb));
}

/* One LSTM cell for LANES units: updates the cell state in place, returns o * tanh(c). */
INLINE vec lstm_cell(vec i, vec f, vec g, vec o, float *state, float cell_clip) {
    vec c = load(state) / (1.f + exponential(-f)) + sigmoid_tanh(i, g);
    if (cell_clip > 0) c = clip(c, cell_clip);
    store(state, c);
    return sigmoid_tanh(o, c);
}

/* sums[ROWS][VECTORS] = x[ROWS][k] * panel[k][COLUMNS]. The sums fit the registers: one function for each number of rows.
 * On the way, k cache lines from `ahead` on are called into the cache. */
#define DEFINE_TILE(ROWS)                                                                                                  \
    static __attribute__((noinline)) void tile_##ROWS(long k, const float *x, long x_stride, const float *panel,           \
                                                      const float *ahead, vec sums[TILE_ROWS][VECTORS]) {                  \
        vec s[ROWS][VECTORS];                                                                                              \
        for (int r = 0; r < ROWS; r++)                                                                                     \
            for (int v = 0; v < VECTORS; v++) s[r][v] = (vec){0};                                                          \
        for (long j = 0; j < k; j++) {                                                                                     \
            __builtin_prefetch(ahead + j * CACHE_LINE, 0, 2);                                                              \
            vec w[VECTORS];                                                                                                \
            _Pragma("GCC unroll 8") for (int v = 0; v < VECTORS; v++) w[v] = load(panel + j * COLUMNS + v * LANES);        \
            _Pragma("GCC unroll 8") for (int r = 0; r < ROWS; r++) {                                                       \
                vec value = all(x[r * x_stride + j]);                                                                      \
                _Pragma("GCC unroll 8") for (int v = 0; v < VECTORS; v++) s[r][v] += value * w[v];                         \
            }                                                                                                              \
        }                                                                                                                  \
        for (int r = 0; r < ROWS; r++)                                                                                     \
            for (int v = 0; v < VECTORS; v++) sums[r][v] = s[r][v];                                                        \
    }

DEFINE_TILE(1)
DEFINE_TILE(2)
DEFINE_TILE(3)
#if TILE_ROWS == 6
DEFINE_TILE(4)
DEFINE_TILE(5)
DEFINE_TILE(6)
#endif

/* `number` counts the tiles that use this panel: the first few call the next panel, a part each, while they compute. */
INLINE void tile(long rows, long k, const float *x, long x_stride, const float *panel, long number,
                 vec sums[TILE_ROWS][VECTORS]) {
    const float *ahead = number < LINES ? panel + (COLUMNS + number * CACHE_LINE) * k : panel;
    switch (rows) {
    case 1: tile_1(k, x, x_stride, panel, ahead, sums); break;
    case 2: tile_2(k, x, x_stride, panel, ahead, sums); break;
    case 3: tile_3(k, x, x_stride, panel, ahead, sums); break;
#if TILE_ROWS == 6
    case 4: tile_4(k, x, x_stride, panel, ahead, sums); break;
    case 5: tile_5(k, x, x_stride, panel, ahead, sums); break;
    case 6: tile_6(k, x, x_stride, panel, ahead, sums); break;
#endif
    }
}

INLINE long smaller(long a, long b) { return a < b ? a : b; }

/* How many of the `left` rows the next tile takes, so that tiles are as even as they can be: 7 rows are 4 + 3, not 6 + 1. */
INLINE long tile_rows(long left) {
    long tiles = (left + TILE_ROWS - 1) / TILE_ROWS;
    return (left + tiles - 1) / tiles;
}

/* out[rows][n] = clip(x[rows][k] * weight + bias); n is a multiple of COLUMNS, bias may be null, limit 0 is none.
 * weight: for each DEPTH rows of the matrix, for each panel of COLUMNS columns, [rows][COLUMNS]. */
void multiply(long rows, long k, long n, const float *x, long x_stride, const float *weight, const float *bias, float limit,
              float *out, long out_stride) {
    vec sums[TILE_ROWS][VECTORS];
    for (long block = 0; block < rows; block += BLOCK_ROWS) {
        long block_end = smaller(block + BLOCK_ROWS, rows);
        for (long from = 0; from < k; from += DEPTH) {
            long deep = smaller(DEPTH, k - from);
            int last = from + deep == k;
            for (long column = 0; column < n; column += COLUMNS) {
                const float *panel = weight + from * n + column * deep;
                for (long row = block, take, number = 0; row < block_end; row += take, number++) {
                    take = tile_rows(block_end - row);
                    tile(take, deep, x + row * x_stride + from, x_stride, panel, number, sums);
                    for (long r = 0; r < take; r++)
                        for (int v = 0; v < VECTORS; v++) {
                            float *place = out + (row + r) * out_stride + column + v * LANES;
                            vec sum = sums[r][v];
                            if (from) sum += load(place);
                            else if (bias) sum += load(bias + column + v * LANES);
                            if (last && limit > 0) sum = clip(sum, limit);
                            store(place, sum);
                        }
                }
            }
        }
    }
}

/* One direction of one layer over packed sentences: at step t the first counts[t] rows are alive.
 *
 * gates: input gates, bias included, a row of 4 * dim for each distinct input; index says which row a packed token uses.
 * hidden (rows, projection_stride) and cell (rows, dim) are the state, updated in place; scratch is (rows, dim).
 * out gets the new hidden state of every packed token. Without a projection (null) the hidden state is the cell's output. */
void lstm_steps(long steps, const int32_t *counts, long projection, long projection_stride, long dim, const float *gates,
                const int32_t *index, const float *recurrent, const float *project, float cell_clip, float projection_clip,
                float *hidden, float *cell, float *scratch, float *out) {
    vec sums[TILE_ROWS][VECTORS], more[TILE_ROWS][VECTORS];
    const long gate_stride = VECTORS * dim;
    for (long step = 0; step < steps; step++) {
        const long alive = counts[step];
        float *cell_output = project ? scratch : out;
        for (long unit = 0; unit < dim; unit += LANES) {
            for (long row = 0, take, number = 0; row < alive; row += take, number++) {
                take = tile_rows(alive - row);
                for (long r = 0; r < take; r++) { /* what the cell will need lies far apart: call it early */
                    for (int line = 0; line < LINES; line++)
                        __builtin_prefetch(gates + index[row + r] * gate_stride + unit * VECTORS + line * CACHE_LINE);
                    __builtin_prefetch(cell + (row + r) * dim + unit, 1);
                    __builtin_prefetch(cell_output + (row + r) * dim + unit, 1);
                }
                for (long from = 0; from < projection; from += DEPTH) {
                    long deep = smaller(DEPTH, projection - from);
                    const float *panel = recurrent + from * gate_stride + unit * VECTORS * deep;
                    tile(take, deep, hidden + row * projection_stride + from, projection_stride, panel, number,
                         from ? more : sums);
                    if (from)
                        for (long r = 0; r < take; r++)
                            for (int v = 0; v < VECTORS; v++) sums[r][v] += more[r][v];
                }
                for (long r = 0; r < take; r++) {
                    const float *gate = gates + index[row + r] * gate_stride + unit * VECTORS;
                    store(cell_output + (row + r) * dim + unit,
                          lstm_cell(sums[r][0] + load(gate), sums[r][1] + load(gate + LANES),
                                    sums[r][2] + load(gate + 2 * LANES), sums[r][3] + load(gate + 3 * LANES),
                                    cell + (row + r) * dim + unit, cell_clip));
                }
            }
        }
        if (project)
            multiply(alive, dim, projection_stride, scratch, dim, project, 0, projection_clip, out, projection_stride);
        memcpy(hidden, out, sizeof(float) * alive * projection_stride);
        out += alive * projection_stride;
        index += alive;
    }
}

/* The cell alone, on gates (rows, 4, dim) that another matrix kernel made; dim is a multiple of LANES. */
void cell_step(long rows, long dim, const float *gates, float *cell, float cell_clip, float *out) {
    for (long row = 0; row < rows; row++)
        for (long unit = 0; unit < dim; unit += LANES) {
            const float *gate = gates + row * VECTORS * dim + unit;
            store(out + row * dim + unit, lstm_cell(load(gate), load(gate + dim), load(gate + 2 * dim), load(gate + 3 * dim),
                                                    cell + row * dim + unit, cell_clip));
        }
}
