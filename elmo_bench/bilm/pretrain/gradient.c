/* Training: the recurrence of recurrence.c on windows of equal length, keeping what its gradient needs, and the gradient. */
#include "recurrence.c"

/* Gates lie in rows of 4 * dim as TensorFlow orders them. */
enum { GATE_I, GATE_G, GATE_F, GATE_O };

INLINE vec sigmoid(vec x) { return 1.f / (1.f + exponential(-x)); }
INLINE vec tangent(vec x) { return 2.f / (1.f + exponential(-2.f * x)) - 1.f; }
INLINE vec inside(vec x, float limit) { return limit > 0 ? choose((x < limit) & (x > -limit), all(1.f), all(0.f)) : all(1.f); }

/* gates (steps, rows, 4 * dim): input gates, replaced by the activated gates. cells and outputs (steps, rows, dim) get the
 * cell states and o * tanh(c); hidden (steps, rows, projection) the hidden states. first_hidden and first_cell are the start.
 * The forget gate's 1 is added here. recurrent is packed as for lstm_steps. scratch: rows * (1 + dim) floats. */
void train_forward(const matrix *recurrent, const matrix *project, long steps, long rows, long projection, long dim,
                   float cell_clip, float projection_clip, const float *first_hidden, const float *first_cell, float *gates,
                   float *cells, float *outputs, float *hidden, float *scratch) {
    static const int order[VECTORS] = {GATE_I, GATE_F, GATE_G, GATE_O};
    sum sums[TILE_ROWS][VECTORS];
    const float *before = first_hidden, *cell_before = first_cell;
    for (long step = 0; step < steps; step++) {
        const input in = as_words(rows, projection, before, projection, scratch);
        for (long unit = 0; unit < dim; unit += LANES)
            for (long row = 0, take, number = 0; row < rows; row += take, number++) {
                take = tile_rows(rows - row);
                vec total[TILE_ROWS][VECTORS];
                for (long r = 0; r < take; r++)
                    for (int v = 0; v < VECTORS; v++)
                        __builtin_prefetch(gates + ((row + r) * VECTORS + v) * dim + unit, 1);
                for (long from = 0; from < recurrent->k; from += DEPTH) {
                    const long deep = smaller(DEPTH, recurrent->k - from);
                    const word *panel = recurrent->panels + from * VECTORS * dim + unit * VECTORS * deep;
                    tile(take, deep, in.words + row * in.stride + from, in.stride, panel, number, sums);
                    for (long r = 0; r < take; r++)
                        for (int v = 0; v < VECTORS; v++) {
                            vec value = worth(sums[r][v], recurrent, from, unit * VECTORS + v * LANES, in.scale + row + r);
                            total[r][v] = from ? total[r][v] + value
                                               : value + load(gates + ((row + r) * VECTORS + order[v]) * dim + unit);
                        }
                }
                for (long r = 0; r < take; r++) {
                    float *gate = gates + (row + r) * VECTORS * dim + unit;
                    const long place = (row + r) * dim + unit;
                    vec i = sigmoid(total[r][0]), f = sigmoid(total[r][1] + 1.f), g = tangent(total[r][2]),
                        o = sigmoid(total[r][3]);
                    vec c = f * load(cell_before + place) + i * g;
                    if (cell_clip > 0) c = clip(c, cell_clip);
                    store(gate + GATE_I * dim, i);
                    store(gate + GATE_G * dim, g);
                    store(gate + GATE_F * dim, f);
                    store(gate + GATE_O * dim, o);
                    store(cells + place, c);
                    store(outputs + place, o * tangent(c));
                }
            }
        multiply(project, rows, dim, outputs, dim, 0, projection_clip, hidden, projection, scratch);
        before = hidden;
        cell_before = cells;
        gates += rows * VECTORS * dim;
        cells += rows * dim;
        outputs += rows * dim;
        hidden += rows * projection;
    }
}

/* The gradient, from the last step to the first. recurrent_back (4 * dim, projection) and project_back (projection, dim) are
 * the transposed weights. gates: activated, replaced by the gradient before activation. gradient (steps, rows, projection):
 * of the hidden states, replaced by the one before clipping, through later steps too.
 * scratch: rows * (1 + 6 * dim + projection) floats. */
void train_backward(const matrix *recurrent_back, const matrix *project_back, long steps, long rows, long projection, long dim,
                    float cell_clip, float projection_clip, const float *first_cell, const float *cells, const float *hidden,
                    float *gates, float *gradient, float *scratch) {
    float *output_gradient = scratch, *cell_gradient = output_gradient + rows * dim;
    float *hidden_gradient = cell_gradient + rows * dim, *encoded = hidden_gradient + rows * projection;
    memset(cell_gradient, 0, sizeof(float) * rows * dim);
    memset(hidden_gradient, 0, sizeof(float) * rows * projection);
    for (long step = steps - 1; step >= 0; step--) {
        float *own = gradient + step * rows * projection, *gate_rows = gates + step * rows * VECTORS * dim;
        const float *state = hidden + step * rows * projection, *c_rows = cells + step * rows * dim;
        const float *c_before = step ? c_rows - rows * dim : first_cell;
        for (long j = 0; j < rows * projection; j += LANES)
            store(own + j, (load(own + j) + load(hidden_gradient + j)) * inside(load(state + j), projection_clip));
        multiply(project_back, rows, projection, own, projection, 0, 0, output_gradient, dim, encoded);
        for (long row = 0; row < rows; row++)
            for (long unit = 0; unit < dim; unit += LANES) {
                float *gate = gate_rows + row * VECTORS * dim + unit;
                const long place = row * dim + unit;
                vec i = load(gate + GATE_I * dim), g = load(gate + GATE_G * dim), f = load(gate + GATE_F * dim),
                    o = load(gate + GATE_O * dim);
                vec c = load(c_rows + place), t = tangent(c), d_output = load(output_gradient + place);
                vec d_cell = d_output * o * (1.f - t * t) + load(cell_gradient + place);
                d_cell *= inside(c, cell_clip);
                store(gate + GATE_I * dim, d_cell * g * i * (1.f - i));
                store(gate + GATE_G * dim, d_cell * i * (1.f - g * g));
                store(gate + GATE_F * dim, d_cell * load(c_before + place) * f * (1.f - f));
                store(gate + GATE_O * dim, d_output * t * o * (1.f - o));
                store(cell_gradient + place, d_cell * f);
            }
        multiply(recurrent_back, rows, VECTORS * dim, gate_rows, VECTORS * dim, 0, 0, hidden_gradient, projection, encoded);
    }
}

/* Packs a matrix whose element (row, column) is at source[row_place[row] + column_place[column]]; a place of -1 is zero. */
void pack(const float *source, long rows, long columns, const int32_t *row_place, const int32_t *column_place, word *panels) {
    const long k = (rows + WORD_HOLDS - 1) / WORD_HOLDS;
    for (long from = 0; from < k; from += DEPTH) {
        const long deep = smaller(DEPTH, k - from);
        for (long column = 0; column < columns; column += COLUMNS)
            for (long j = 0; j < deep; j++)
                for (long c = 0; c < COLUMNS; c++) {
                    float values[WORD_HOLDS];
                    for (int h = 0; h < WORD_HOLDS; h++) {
                        const long row = (from + j) * WORD_HOLDS + h;
                        const int outside = row >= rows || row_place[row] < 0 || column_place[column + c] < 0;
                        values[h] = outside ? 0.f : source[row_place[row] + column_place[column + c]];
                    }
#if PRECISION == 32
                    memcpy(panels++, values, 4);
#elif PRECISION == 16
                    float unused;
                    encode(WORD_HOLDS, values, panels++, &unused);
#endif
                }
    }
}

/* ---- The character CNN: each filter's largest response in a word, and where it was. ---- */

#define LONGEST_WORD 128
#define WIDEST_EMBEDDING 64

/* ids (words, characters); table (rows, dim); filters packed, width * dim deep. Windows behind the word see nothing but padding
 * and respond alike, so the first of them stands for all. largest and where (words, filters' columns). Single precision. */
void convolve(const matrix *filters, const float *bias, long words, long characters, const int16_t *ids, long padding,
              const float *table, long dim, long width, float *largest, int32_t *where) {
    sum sums[TILE_ROWS][VECTORS];
    float embedded[LONGEST_WORD * WIDEST_EMBEDDING];
    for (long w = 0; w < words; w++) {
        long used = characters;
        while (used > 0 && ids[w * characters + used - 1] == padding) used--;
        const long windows = smaller(used, characters - width) + 1;
        for (long j = 0; j < windows + width - 1; j++)
            memcpy(embedded + j * dim, table + ids[w * characters + j] * dim, sizeof(float) * dim);
        for (long column = 0; column < filters->n; column += COLUMNS) {
            vec best[VECTORS];
            ivec place[VECTORS];
            for (int v = 0; v < VECTORS; v++) best[v] = all(-3e38f), place[v] = (ivec){0};
            for (long row = 0, take, number = 0; row < windows; row += take, number++) {
                take = tile_rows(windows - row);
                tile(take, filters->k, (const word *)embedded + row * dim, dim, filters->panels + column * filters->k, number, sums);
                for (long r = 0; r < take; r++)
                    for (int v = 0; v < VECTORS; v++) {
                        const ivec more = (vec)sums[r][v] > best[v];
                        best[v] = choose(more, (vec)sums[r][v], best[v]);
                        place[v] = (more & (int32_t)(row + r)) | (~more & place[v]);
                    }
            }
            for (int v = 0; v < VECTORS; v++) {
                const long here = column + v * LANES;
                store(largest + w * filters->n + here, best[v] + load(bias + here));
                memcpy(where + w * filters->n + here, &place[v], sizeof(ivec));
            }
        }
    }
}

/* The gradient of one word's filter reaches only the window that won. weight and d_weight (filters, width * dim). */
void convolve_back(long words, long filters, long stride, long characters, const int16_t *ids, const float *table, long dim,
                   long width, const float *weight, const int32_t *where, const float *gradient, float *d_weight,
                   float *d_table) {
    const long window = width * dim;
    float embedded[LONGEST_WORD * WIDEST_EMBEDDING], d_embedded[LONGEST_WORD * WIDEST_EMBEDDING];
    for (long w = 0; w < words; w++) {
        const int16_t *word_ids = ids + w * characters;
        for (long j = 0; j < characters; j++) memcpy(embedded + j * dim, table + word_ids[j] * dim, sizeof(float) * dim);
        memset(d_embedded, 0, sizeof(float) * characters * dim);
        long last = 0;
        for (long f = 0; f < filters; f++) {
            const float d = gradient[w * filters + f];
            if (d == 0) continue;
            const long from = where[w * stride + f] * dim;
            last = from + window > last ? from + window : last;
            float *restrict own = d_weight + f * window, *restrict below = d_embedded + from;
            const float *restrict seen = embedded + from, *restrict used = weight + f * window;
            for (long e = 0; e < window; e++) own[e] += d * seen[e];
            for (long e = 0; e < window; e++) below[e] += d * used[e];
        }
        for (long j = 0; j * dim < last; j++)
            for (long e = 0; e < dim; e++) d_table[word_ids[j] * dim + e] += d_embedded[j * dim + e];
    }
}

/* ---- The softmax: loss and gradient in one go, on logits in bfloat16. ---- */

INLINE float from_half(uint16_t half) {
    word bits = (word)half << 16;
    float value;
    memcpy(&value, &bits, 4);
    return value;
}

INLINE uint16_t to_half(float value) {
    word bits;
    memcpy(&bits, &value, 4);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* logits (rows, columns) are replaced by scale * (probability − [is the target]); losses (rows) get −log p of the targets.
 * scratch: columns + LANES floats. */
void softmax_rows(long rows, long columns, uint16_t *logits, const int64_t *targets, float scale, float *losses,
                  float *scratch) {
    for (long row = 0; row < rows; row++, logits += columns) {
        vec top = all(-3e38f), total = {0};
        for (long j = 0; j < columns; j++) scratch[j] = from_half(logits[j]);
        for (long j = columns; j % LANES; j++) scratch[j] = -3e38f;
        for (long j = 0; j < columns; j += LANES) top = LARGER(top, load(scratch + j));
        float largest = top[0];
        for (int lane = 1; lane < LANES; lane++) largest = top[lane] > largest ? top[lane] : largest;
        const float target = scratch[targets[row]];
        for (long j = 0; j < columns; j += LANES) {
            vec e = choose(load(scratch + j) > -1e38f, exponential(load(scratch + j) - largest), all(0.f));
            store(scratch + j, e);
            total += e;
        }
        double sum_of_all = 0;
        for (int lane = 0; lane < LANES; lane++) sum_of_all += total[lane];
        losses[row] = (float)(__builtin_log(sum_of_all) - (target - largest));
        const float factor = (float)(scale / sum_of_all);
        for (long j = 0; j < columns; j++) logits[j] = to_half(scratch[j] * factor);
        const float right = scratch[targets[row]] * factor - scale;
        logits[targets[row]] = to_half(right);
    }
}
