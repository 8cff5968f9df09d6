/* The biLM's inner loops for a CPU: a packed matrix product, and the LSTM recurrence fused around it.
 *
 * Written with the vector extension of GCC and Clang, so that one source serves AVX-512, AVX2 and NEON. It is compiled once
 * for each PRECISION that is asked for: 32 (single), 16 (bfloat16 products), 8 (integer products); sums and cells are in
 * single precision always. Operands are handled as 32-bit words that hold 1, 2 or 4 of them.
 *
 * Weights are packed (compiled.py) into panels of COLUMNS columns, so that the innermost loop reads them in order. In the
 * recurrence a panel holds the four gates (i, f, g, o) of LANES units, so that the cell runs on sums still in the cache.
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
#define DEPTH 512     /* words of a panel's column: a panel stays in the second-level cache */
#define BLOCK_ROWS 96 /* rows of input that stay in the cache while all panels pass by */
#define CACHE_LINE 16 /* words */
#define LINES (COLUMNS / CACHE_LINE) /* of a panel's row */

typedef float vec __attribute__((vector_size(LANES * 4)));
typedef float vec_anywhere __attribute__((vector_size(LANES * 4), aligned(4)));
typedef int32_t ivec __attribute__((vector_size(LANES * 4)));
typedef int32_t ivec_anywhere __attribute__((vector_size(LANES * 4), aligned(4)));
typedef uint32_t word;

#define INLINE static inline __attribute__((always_inline))

INLINE vec load(const float *p) { return *(const vec_anywhere *)p; }
INLINE ivec load_words(const void *p) { return *(const ivec_anywhere *)p; }
INLINE void store(float *p, vec x) { *(vec_anywhere *)p = x; }
INLINE vec all(float x) { return (vec){0} + x; }
INLINE vec choose(ivec mask, vec a, vec b) { return (vec)(((ivec)a & mask) | ((ivec)b & ~mask)); }
INLINE long smaller(long a, long b) { return a < b ? a : b; }

/* The operands' order lets a NaN through, so that it shows in the output. */
INLINE vec clip(vec x, float limit) { return LARGER(all(-limit), SMALLER(all(limit), x)); }

/* A weight matrix, k words deep and n columns wide (a multiple of COLUMNS): for each DEPTH words, for each panel of COLUMNS
 * columns, [words][COLUMNS]. For integers: what one unit of a column is worth, and what its offset is in each DEPTH words. */
typedef struct {
    long k, n;
    const word *panels;
    const float *scale;
    const int32_t *offset;
} matrix;

/* ---- The three precisions: what a word holds, how it is made, how two vectors of words are multiplied. ---- */

#if PRECISION == 32
#define WORD_HOLDS 1
typedef vec sum;
INLINE sum multiply_add(sum s, ivec x, ivec w) { return s + (vec)x * (vec)w; }

#elif PRECISION == 16
#define WORD_HOLDS 2
typedef vec sum;
#if !defined(__AVX512BF16__)
#error "this CPU has no bfloat16 products"
#endif
INLINE sum multiply_add(sum s, ivec x, ivec w) { return (vec)_mm512_dpbf16_ps((__m512)s, (__m512bh)x, (__m512bh)w); }

static void encode(long k, const float *x, word *words, float *scale) {
    uint16_t *halves = (uint16_t *)words;
    halves[k - 1 + k % 2] = 0; /* fills the last word */
    for (long j = 0; j < k; j++) {
        word bits;
        memcpy(&bits, x + j, 4);
        halves[j] = (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16); /* to nearest, ties to even */
    }
    *scale = 1;
}

#elif PRECISION == 8
#define WORD_HOLDS 4
typedef ivec sum;
#if defined(__AVX512VNNI__)
#define ZERO_POINT 128 /* the instruction wants unsigned by signed */
INLINE sum multiply_add(sum s, ivec x, ivec w) { return (ivec)_mm512_dpbusd_epi32((__m512i)s, (__m512i)x, (__m512i)w); }
#elif defined(__AVXVNNI__)
#define ZERO_POINT 128
INLINE sum multiply_add(sum s, ivec x, ivec w) { return (ivec)_mm256_dpbusd_avx_epi32((__m256i)s, (__m256i)x, (__m256i)w); }
#elif defined(__ARM_FEATURE_DOTPROD)
#include <arm_neon.h>
#define ZERO_POINT 0
INLINE sum multiply_add(sum s, ivec x, ivec w) { return (ivec)vdotq_s32((int32x4_t)s, (int8x16_t)x, (int8x16_t)w); }
#else
#error "this CPU has no 8-bit integer products"
#endif

/* Each row has its own scale, so that rows stay independent of each other. */
static void encode(long k, const float *x, word *words, float *scale) {
    vec largest = {0};
    long j = 0;
    for (; j + LANES <= k; j += LANES) largest = LARGER(largest, LARGER(load(x + j), -load(x + j)));
    float top = 0;
    for (int lane = 0; lane < LANES; lane++) top = largest[lane] > top ? largest[lane] : top;
    for (; j < k; j++) top = __builtin_fabsf(x[j]) > top ? __builtin_fabsf(x[j]) : top;
    float steps = top > 0 ? 127.f / top : 0.f;
    uint8_t *bytes = (uint8_t *)words;
    memset(bytes + k / 4 * 4, ZERO_POINT, (k % 4 != 0) * 4); /* fills the last word; its weights are zero */
    for (j = 0; j < k; j++) {
        float rounded = x[j] * steps + 12582912.f; /* 1.5 * 2^23: the integer is in the low bits */
        word bits;
        memcpy(&bits, &rounded, 4);
        bytes[j] = (uint8_t)(bits + ZERO_POINT);
    }
    *scale = top / 127.f;
}
#endif

int lanes(void) { return LANES; }
int columns(void) { return COLUMNS; }
int depth(void) { return DEPTH; }
int word_holds(void) { return WORD_HOLDS; }
int zero_point(void) {
#if PRECISION == 8
    return ZERO_POINT;
#else
    return 0;
#endif
}

/* Rows of input as words. In single precision they already are; else they are encoded into scratch, scales first. */
typedef struct {
    const word *words;
    long stride;
    const float *scale;
} input;

INLINE input as_words(long rows, long k, const float *x, long x_stride, float *scratch) {
#if PRECISION == 32
    (void)rows, (void)k, (void)scratch;
    return (input){(const word *)x, x_stride, 0};
#else
    long stride = (k + WORD_HOLDS - 1) / WORD_HOLDS;
    word *words = (word *)(scratch + rows);
    for (long row = 0; row < rows; row++) encode(k, x + row * x_stride, words + row * stride, scratch + row);
    return (input){words, stride, scratch};
#endif
}

/* What a sum over words [from, from + DEPTH) is worth, for LANES columns of one row. */
INLINE vec worth(sum s, const matrix *m, long from, long column, const float *row_scale) {
#if PRECISION == 8
    ivec exact = s - load_words(m->offset + from / DEPTH * m->n + column);
    return __builtin_convertvector(exact, vec) * load(m->scale + column) * *row_scale;
#else
    (void)m, (void)from, (void)column, (void)row_scale;
    return s;
#endif
}

/* ---- The cell. ---- */

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

/* ---- The product. ---- */

/* sums[ROWS][VECTORS] = x[ROWS][k] * panel[k][COLUMNS]. The sums fit the registers: one function for each number of rows.
 * On the way, k cache lines from `ahead` on are called into the cache. */
#define DEFINE_TILE(ROWS)                                                                                                  \
    static __attribute__((noinline)) void tile_##ROWS(long k, const word *x, long x_stride, const word *panel,             \
                                                      const word *ahead, sum sums[TILE_ROWS][VECTORS]) {                   \
        sum s[ROWS][VECTORS];                                                                                              \
        for (int r = 0; r < ROWS; r++)                                                                                     \
            for (int v = 0; v < VECTORS; v++) s[r][v] = (sum){0};                                                          \
        for (long j = 0; j < k; j++) {                                                                                     \
            __builtin_prefetch(ahead + j * CACHE_LINE, 0, 2);                                                              \
            ivec w[VECTORS];                                                                                               \
            _Pragma("GCC unroll 8") for (int v = 0; v < VECTORS; v++) w[v] = load_words(panel + j * COLUMNS + v * LANES);  \
            _Pragma("GCC unroll 8") for (int r = 0; r < ROWS; r++) {                                                       \
                ivec value = (ivec){0} + (int32_t)x[r * x_stride + j];                                                     \
                _Pragma("GCC unroll 8") for (int v = 0; v < VECTORS; v++) s[r][v] = multiply_add(s[r][v], value, w[v]);    \
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
INLINE void tile(long rows, long k, const word *x, long x_stride, const word *panel, long number,
                 sum sums[TILE_ROWS][VECTORS]) {
    const word *ahead = number < LINES ? panel + (COLUMNS + number * CACHE_LINE) * k : panel;
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

/* How many of the `left` rows the next tile takes, so that tiles are as even as they can be: 7 rows are 4 + 3, not 6 + 1. */
INLINE long tile_rows(long left) {
    long tiles = (left + TILE_ROWS - 1) / TILE_ROWS;
    return (left + tiles - 1) / tiles;
}

/* out[rows][m->n] = clip(x[rows][k] * m + bias), for k values in each row of x; bias may be null, limit 0 is none.
 * scratch: rows * (1 + m->k) floats, used where x must be encoded. */
void multiply(const matrix *m, long rows, long k, const float *x, long x_stride, const float *bias, float limit, float *out,
              long out_stride, float *scratch) {
    sum sums[TILE_ROWS][VECTORS];
    const input in = as_words(rows, k, x, x_stride, scratch);
    for (long block = 0; block < rows; block += BLOCK_ROWS) {
        const long block_end = smaller(block + BLOCK_ROWS, rows);
        for (long from = 0; from < m->k; from += DEPTH) {
            const long deep = smaller(DEPTH, m->k - from);
            const int last = from + deep == m->k;
            for (long column = 0; column < m->n; column += COLUMNS) {
                const word *panel = m->panels + from * m->n + column * deep;
                for (long row = block, take, number = 0; row < block_end; row += take, number++) {
                    take = tile_rows(block_end - row);
                    tile(take, deep, in.words + row * in.stride + from, in.stride, panel, number, sums);
                    for (long r = 0; r < take; r++)
                        for (int v = 0; v < VECTORS; v++) {
                            const long here = column + v * LANES;
                            float *place = out + (row + r) * out_stride + here;
                            vec value = worth(sums[r][v], m, from, here, in.scale + row + r);
                            if (from) value += load(place);
                            else if (bias) value += load(bias + here);
                            if (last && limit > 0) value = clip(value, limit);
                            store(place, value);
                        }
                }
            }
        }
    }
}

/* ---- The recurrence. ---- */

/* One direction of one layer over packed sentences: at step t the first counts[t] rows are alive.
 *
 * gates: input gates, bias included, a row of 4 * dim for each distinct input; index says which row a packed token uses.
 * hidden (rows, stride) and cell (rows, dim) are the state, updated in place. out (packed tokens, stride) gets the new
 * hidden state of every token. Without a projection (null) the hidden state is the cell's output.
 * scratch: rows * (1 + 2 * dim) floats. */
void lstm_steps(const matrix *recurrent, const matrix *project, long steps, const int32_t *counts, long projection, long stride,
                long dim, const float *gates, const int32_t *index, float cell_clip, float projection_clip, float *hidden,
                float *cell, float *out, float *scratch) {
    sum sums[TILE_ROWS][VECTORS];
    vec total[TILE_ROWS][VECTORS];
    const long gate_stride = VECTORS * dim;
    for (long step = 0; step < steps; step++) {
        const long alive = counts[step];
        float *encoded = scratch + alive * dim;
        float *cell_output = project ? scratch : out;
        const input in = as_words(alive, projection, hidden, stride, encoded);
        for (long unit = 0; unit < dim; unit += LANES) {
            for (long row = 0, take, number = 0; row < alive; row += take, number++) {
                take = tile_rows(alive - row);
                for (long r = 0; r < take; r++) { /* what the cell will need lies far apart: call it early */
                    for (int line = 0; line < LINES; line++)
                        __builtin_prefetch(gates + index[row + r] * gate_stride + unit * VECTORS + line * CACHE_LINE);
                    __builtin_prefetch(cell + (row + r) * dim + unit, 1);
                    __builtin_prefetch(cell_output + (row + r) * dim + unit, 1);
                }
                for (long from = 0; from < recurrent->k; from += DEPTH) {
                    const long deep = smaller(DEPTH, recurrent->k - from);
                    const word *panel = recurrent->panels + from * gate_stride + unit * VECTORS * deep;
                    tile(take, deep, in.words + row * in.stride + from, in.stride, panel, number, sums);
                    for (long r = 0; r < take; r++)
                        for (int v = 0; v < VECTORS; v++) {
                            const long here = unit * VECTORS + v * LANES;
                            vec value = worth(sums[r][v], recurrent, from, here, in.scale + row + r);
                            total[r][v] = value + (from ? total[r][v] : load(gates + index[row + r] * gate_stride + here));
                        }
                }
                for (long r = 0; r < take; r++)
                    store(cell_output + (row + r) * dim + unit,
                          lstm_cell(total[r][0], total[r][1], total[r][2], total[r][3], cell + (row + r) * dim + unit,
                                    cell_clip));
            }
        }
        if (project) multiply(project, alive, dim, scratch, dim, 0, projection_clip, out, stride, encoded);
        memcpy(hidden, out, sizeof(float) * alive * stride);
        out += alive * stride;
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
