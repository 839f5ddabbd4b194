/** What analysts may spend, and what they may set. */

/** What one question may spend: seconds, bytes, rows. Less may be asked for. */
export const limits = {
  max_execution_time: 10,
  // The engine's memory is shared: what all of an organization's questions hold must leave the product's own enough. More goes to disk.
  max_memory_usage: 2 ** 28,
  max_bytes_before_external_group_by: 2 ** 26,
  max_bytes_before_external_sort: 2 ** 26,
  max_result_rows: 100_000,
  max_result_bytes: 2 ** 28,
  max_threads: 2,
  // The engine looks at the time between blocks. The smaller they are, the sooner; below this scans take several times as long.
  max_block_size: 1_024,
  function_range_max_elements_in_block: 10_000_000,
} as const

/**
 * What an answer must not say: how many rows the engine read, which are not the caller's alone, and the whole dictionary of a column,
 * which organizations share.
 */
const hiding: Readonly<Record<string, string>> = {
  output_format_write_statistics: '0',
  output_format_arrow_low_cardinality_as_dictionary: '0',
}

/**
 * Settings that shape an answer and reach nothing else: `output_format_schema` writes a file of that name. Drivers send many more,
 * which are ignored.
 */
const shaping =
  /^(?:output_format_(?!schema$)\w+|date_time_output_format|session_timezone|result_overflow_mode|limit|offset|join_use_nulls)$/

/** The settings of a question: the limits, or what is asked where that is less, what shapes the answer, and what it never says. */
export function analystSettings(asked: ReadonlyMap<string, string>): Map<string, string> {
  const bounded = Object.entries(limits).map(([name, limit]): [string, string] => {
    const wanted = Number(asked.get(name))
    return [name, String(wanted > 0 && wanted < limit ? wanted : limit)]
  })
  return new Map([...bounded, ...[...asked].filter(([name]) => shaping.test(name)), ...Object.entries(hiding)])
}
