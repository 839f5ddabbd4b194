/**
 * Access rights in the embedded ClickHouse. The engine has one user, `default`, and no logins. A session's role decides
 * what it may do; row policies decide what it sees, by its current database. The product's sessions use the product's
 * database. Analysts' sessions use a database of their organization, `org_<id>`, and may read only its views.
 */
import type { OrganizationTable } from '#analytics/store/tenancy.ts'

/** The role of analysts: it may read the views of organizations' databases, and nothing else. */
export const analystRole = 'analyst'

/** Sessions of the engine for analysts of all organizations together. */
export const ANALYST_SESSIONS = 8

/** Prefix of the names of organizations' databases. */
export const orgPrefix = 'org_'
/** Suffix of databases that also show security events. */
export const withSecurity = '_security'
const uuidLength = 36

/** The table of security events, which not all members may read. */
const securityTable = 'security_event'

/**
 * The row policy of a table: in the product's database all rows are visible, in an organization's database only its
 * own.
 */
export function policyOf({ name, of }: OrganizationTable, database: string): string {
  const own = `${of} = substring(currentDatabase(), ${orgPrefix.length + 1}, ${uuidLength})`
  const isShown = name === securityTable ? `${own} AND endsWith(currentDatabase(), '${withSecurity}')` : own
  return `currentDatabase() = '${database}' OR (${isShown})`
}

/** System tables with the same content for everybody: functions, formats, a session's own settings. */
export const openSystemTables: ReadonlySet<string> = new Set(
  `aggregate_function_combinators collations current_roles data_type_families enabled_roles formats functions keywords
   numbers numbers_mt one settings table_functions time_zones zeros zeros_mt`.split(/\s+/),
)

/** System tables that show analysts only their own database, by filter. */
export const ownSystemTables: Readonly<Record<string, string>> = {
  columns: 'database = currentDatabase()',
  databases: 'name = currentDatabase()',
  tables: 'database = currentDatabase()',
}

/** System tables that show analysts nothing. A test compares the three lists with the engine's tables. */
export const closedSystemTables: readonly string[] =
  `asynchronous_insert_log asynchronous_inserts asynchronous_loader asynchronous_metric_log asynchronous_metrics
   azure_queue_metadata_cache azure_queue_settings background_schedule_pool background_schedule_pool_log backup_log backups
   blob_storage_log build_options certificates clusters codecs completions constraints contributors crash_log dashboards
   data_skipping_index_types data_skipping_indices database_engines database_replicas dead_letter_queue delta_lake_metadata_log
   detached_parts detached_tables dictionaries dictionary_layouts dictionary_sources dimensional_metrics disk_types disks
   distributed_ddl_queue distribution_queue dns_cache documentation dropped_tables dropped_tables_parts error_log errors events
   fail_points filesystem_cache filesystem_cache_log filesystem_cache_settings grants graphite_retentions histogram_metrics
   hypothetical_indexes iceberg_files iceberg_history iceberg_metadata_log instrumentation jemalloc_bins jemalloc_profile_text
   jemalloc_stats kafka_consumers latency_log licenses macros masking_policies merge_tree_settings merges metric_log metrics models
   moves mutations named_collections opentelemetry_span_log part_log part_moves_between_shards parts parts_columns primes privileges
   processes processors_profile_log projection_parts projection_parts_columns projections query_cache query_condition_cache
   query_log query_metric_log query_thread_log query_views_log quota_limits quota_usage quotas quotas_usage remote_data_paths
   replicas replicated_fetches replicated_merge_tree_settings replication_queue resources rocksdb role_grants roles row_policies
   s3_queue_log s3_queue_settings s3queue_log s3queue_metadata_cache scheduler schema_inference_cache server_settings session_log
   settings_changes settings_profile_elements settings_profiles stack_trace storage_policies symbols table_engines text_log
   tokenizers trace_log transactions transactions_info_log unicode user_defined_functions user_directories user_processes users
   view_refreshes warnings workloads zookeeper zookeeper_connection zookeeper_connection_log zookeeper_log`.split(/\s+/)

export const ownSystemTableNames: readonly string[] = Object.keys(ownSystemTables)

/** The users file of the embedded engine. */
export function usersFile(database: string, tables: readonly OrganizationTable[]): string {
  const rows = tables.map((table): [string, string] => [table.name, policyOf(table, database)])
  const isProduct = `NOT startsWith(currentDatabase(), '${orgPrefix}')`
  const system = [
    ...closedSystemTables.map((name): [string, string] => [name, isProduct]),
    ...Object.entries(ownSystemTables).map(([name, own]): [string, string] => [name, `${isProduct} OR ${own}`]),
  ]
  const granted = (role: string, grant: string): string => `<${role}><grants><query>${grant}</query></grants></${role}>`
  const policies = (name: string, filters: readonly [string, string][]): string =>
    `<${name}>${filters.map(([table, filter]) => `<${table}><filter>${escapeXml(filter)}</filter></${table}>`).join('')}</${name}>`
  return `<clickhouse>
<profiles><default></default></profiles>
<quotas><default></default></quotas>
<roles>${granted('product', 'GRANT ALL ON *.*')}${granted(analystRole, `GRANT SELECT ON ${orgPrefix}*.*`)}</roles>
<users><default>
<password></password><networks><ip>::1</ip><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota>
<grants><query>GRANT product</query><query>GRANT ${analystRole}</query></grants>
<databases>${policies(database, rows)}${policies('system', system)}</databases>
</default></users>
</clickhouse>
`
}

/** Escapes text for XML. */
export const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
