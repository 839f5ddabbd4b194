/** Limits of analysts' queries, and the settings they may change. */

/** Limits of one query: seconds, bytes, rows. A query may set lower ones. */
export const limits = {
  max_execution_time: 10,
  // Memory is shared with the product: all queries of an organization together must leave enough for it. Larger queries
  // use the disk.
  max_memory_usage: 2 ** 28,
  max_bytes_before_external_group_by: 2 ** 26,
  max_bytes_before_external_sort: 2 ** 26,
  max_result_rows: 100_000,
  max_result_bytes: 2 ** 28,
  max_threads: 2,
  // The engine checks the time limit between blocks, so small blocks stop a query sooner. Below this size scans take
  // several times as long.
  max_block_size: 1_024,
  function_range_max_elements_in_block: 10_000_000,
} as const

/**
 * Prevents answers from containing counts of rows read, which include those of other organizations, and whole column
 * dictionaries, which organizations share.
 */
const hiding: Readonly<Record<string, string>> = {
  output_format_write_statistics: '0',
  output_format_arrow_low_cardinality_as_dictionary: '0',
}

/**
 * Settings that only affect the format of an answer. `output_format_schema` is excluded because it writes a file of
 * that name. Drivers send many other settings, which are ignored.
 */
const shaping =
  /^(?:output_format_(?!schema$)\w+|date_time_output_format|session_timezone|result_overflow_mode|limit|offset|join_use_nulls)$/

/** The settings of a query: the limits, lower ones where requested, the format settings, and those of `hiding`. */
export function analystSettings(asked: ReadonlyMap<string, string>): Map<string, string> {
  const bounded = Object.entries(limits).map(([name, limit]): [string, string] => {
    const wanted = Number(asked.get(name))
    return [name, String(wanted > 0 && wanted < limit ? wanted : limit)]
  })
  return new Map([...bounded, ...[...asked].filter(([name]) => shaping.test(name)), ...Object.entries(hiding)])
}
