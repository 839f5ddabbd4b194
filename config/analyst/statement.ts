/**
 * Checks analysts' statements. Roles and row policies already protect rows of other organizations; this refuses what
 * the engine cannot forbid by configuration. When in doubt it refuses.
 */
import { statementOf, tokensOf, type Token } from '#config/embedded/clickhouse/lexer.ts'
import { outerFunctions, outerTableFunctions } from '#config/embedded/clickhouse/external-access.ts'
import { refusal } from '#config/embedded/clickhouse/error-codes.ts'

/**
 * Functions whose work grows at least with the square of the size of a single row: the engine cannot interrupt work
 * within a row.
 */
const quadratic =
  `arrayjaccardindex arraylevenshteindistance arraylevenshteindistanceweighted arraysimilarity dameraulevenshteindistance editdistance editdistanceutf8 jarosimilarity jarowinklersimilarity levenshteindistance
   levenshteindistanceutf8 multifuzzymatchallindices multifuzzymatchany multifuzzymatchanyindex ngramdistance
   ngramdistancecaseinsensitive ngramdistancecaseinsensitiveutf8 ngramdistanceutf8 ngramsearch ngramsearchcaseinsensitive
   ngramsearchcaseinsensitiveutf8 ngramsearchutf8 polygonsdistancecartesian polygonsdistancespherical seriesdecomposestl
   seriesperioddetectfft stringjaccardindex stringjaccardindexutf8`.split(/\s+/)

/**
 * Functions that reveal where blocks, granules and dictionaries of a column begin and end. Organizations share these,
 * so the result depends on other organizations' rows and values.
 */
const counting =
  `blocknumber blockserializedsize blocksize dumpcolumnstructure indexhint lowcardinalityindices lowcardinalitykeys
   neighbor nowinblock nowinblock64 rownumberinallblocks rownumberinblock runningaccumulate runningconcurrency runningdifference
   runningdifferencestartingwithfirstvalue`.split(/\s+/)

/** Functions that reveal details of the machine or of other databases, or only keep a session busy. */
const telling = new Set([
  ...outerFunctions,
  ...quadratic,
  ...counting,
  ...`addresstoline addresstolinewithinlines addresstosymbol buildid filesystemavailable filesystemcapacity filesystemunreserved
   fqdn fullhostname getclienthttpheader getmacro getmaxtablenamelengthfordatabase getmergetreesetting getoskernelversion
   getserverport getserversetting hascolumnintable hostname servertimezone serveruuid showcertificate sleep sleepeachrow tcpport
   zookeepersessionuptime`.split(/\s+/),
])

/** Table functions that reveal more than rows, such as names of databases or the layout on disk. */
export const tellingTableFunctions: ReadonlySet<string> = new Set([
  ...outerTableFunctions,
  ...`dictionary input loop merge mergetreeanalyzeindexes mergetreeanalyzeindexesuuid mergetreeindex mergetreeprojection
   mergetreetextindex prometheusquery prometheusqueryrange timeseriesdata timeseriesmetrics timeseriessamples timeseriesselector
   timeseriestags viewexplain`.split(/\s+/),
])

const showKinds = new Set(
  'columns create databases engines extended fields full functions index indexes indices keys settings tables temporary'.split(
    ' ',
  ),
)
const createdKinds = /^(?:user|role|row|policy|quota|settings|profile|masking|named|workload|resource)$/
/**
 * Kinds of EXPLAIN that are allowed. Plans and pipelines are not: they depend on the number of rows, granules and parts
 * of all organizations.
 */
const explainKinds = new Set(['ast', 'syntax'])

/** A checked statement, split into what is sent to the engine separately. */
export interface Statement {
  /** Without its FORMAT clause. */
  readonly text: string
  readonly format: string | undefined
  /** Whether it returns rows of tables. */
  readonly isQuestion: boolean
}

/** Matches the database of any organization. */
const orgDatabase = /^org_[0-9a-f]{8}-[0-9a-f]{4}-/i

/** @throws Error in the engine's words */
export function analystStatement(sql: string, databases: ReadonlySet<string>): Statement {
  const tokens = tokensOf(sql)
  while (tokens.at(-1)?.raw === ';') tokens.pop()
  if (tokens.some(({ raw }) => raw === ';')) throw toRefusal('only one statement per request')
  refuseForm(tokens)
  tokens.forEach((token, i) => refuseToken(tokens, token, i))
  refuseOthers(
    tokens.flatMap(({ kind, value }) => (kind === 'name' || kind === 'text' ? [value] : [])),
    databases,
  )
  const isQuestion = beginsQuestion(tokens[0])
  if (isQuestion) refuseUnclosed(tokens)
  const format = isFormatted(tokens) ? tokens.at(-1)!.value : undefined
  if (format !== undefined && !/^\w+$/.test(format)) throw toRefusal(`the format ${format} is not a valid name`)
  return { text: statementOf(format === undefined ? tokens : tokens.slice(0, -2)), format, isQuestion }
}

/**
 * Whether the statement ends with FORMAT and a name. `format` may also be a column; in that case the next word can only
 * be a sort direction.
 */
const isFormatted = (tokens: readonly Token[]): boolean =>
  wordOf(tokens.at(-2)) === 'format' &&
  ['word', 'name'].includes(tokens.at(-1)!.kind) &&
  !['by', 'select', 'distinct', ','].includes(wordOf(tokens.at(-3)) || (tokens.at(-3)?.raw ?? ''))

const opening: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' }

/** The statement is wrapped in parentheses, so its own parentheses must be balanced. */
function refuseUnclosed(tokens: readonly Token[]): void {
  const open: string[] = []
  for (const { raw, kind } of tokens) {
    if (kind !== 'sign') continue
    if ('([{'.includes(raw)) open.push(raw)
    if (raw in opening && open.pop() !== opening[raw]) throw refusal(62, `Unmatched closing ${raw}. (SYNTAX_ERROR)`)
  }
  if (open.length > 0) throw refusal(62, `Unclosed ${open.at(-1)}. (SYNTAX_ERROR)`)
}

const beginsQuestion = (token: Token | undefined): boolean =>
  token?.raw === '(' || ['select', 'with'].includes(wordOf(token))

/**
 * Refuses names of other organizations' databases with the same error as for missing ones, so that analysts cannot
 * learn which organizations exist.
 * @throws Error in the engine's words
 */
export function refuseOthers(values: Iterable<string>, databases: ReadonlySet<string>): void {
  for (const value of values) {
    const name = value.replace(/^["`]/, '')
    const own = [...databases].some((database) => name === database || name.startsWith(`${database}.`))
    if (orgDatabase.test(name) && !own) throw refusal(81, `Database ${value} does not exist. (UNKNOWN_DATABASE)`)
  }
}

const toRefusal = (why: string): Error => refusal(164, `Analysts: ${why}. (READONLY)`)

const wordOf = (token: Token | undefined): string => (token?.kind === 'word' ? token.value.toLowerCase() : '')

/** Allows only statements that read, in forms that do not reveal how the underlying tables are stored. */
function refuseForm(tokens: readonly Token[]): void {
  const [first, second, third] = tokens
  if (beginsQuestion(first) || wordOf(first) === 'exists') return
  if (wordOf(first) === 'show') return refuseShow(tokens)
  if (wordOf(first) === 'desc' || wordOf(first) === 'describe') return refuseDescribe(tokens.slice(1))
  if (wordOf(first) !== 'explain') throw toRefusal('only SELECT, WITH, SHOW, EXPLAIN, EXISTS, and DESCRIBE of a table')
  const rest = wordOf(second) === 'query' && wordOf(third) === 'tree' ? 3 : explainKinds.has(wordOf(second)) ? 2 : 1
  if (rest === 1 || !beginsQuestion(tokens[rest]))
    throw toRefusal('EXPLAIN takes AST, SYNTAX or QUERY TREE, no settings, and a SELECT')
}

function refuseShow(tokens: readonly Token[]): void {
  const [, second, third] = tokens
  const isCreated = wordOf(second) === 'create' && createdKinds.test(wordOf(third))
  if (!showKinds.has(wordOf(second)) || isCreated)
    throw toRefusal('SHOW takes TABLES, DATABASES, COLUMNS, CREATE TABLE, FUNCTIONS, SETTINGS and INDEXES')
}

function refuseDescribe(tokens: readonly Token[]): void {
  const rest = wordOf(tokens[0]) === 'table' ? tokens.slice(1) : tokens
  const isFormatted = wordOf(rest.at(-2)) === 'format'
  const name = isFormatted ? rest.slice(0, -2) : rest
  const text = name.map(({ kind, raw }) => (kind === 'word' || kind === 'name' ? 'x' : raw)).join('')
  if (text !== 'x' && text !== 'x.x') throw toRefusal('DESCRIBE takes the name of a table')
}

const pathColumn = /(?:^|\.)["`]?(?:data|metadata)_path["`]?$/i
const databasesTable = /(?:^|\.)["`]?databases["`]?$/i

/**
 * Refuses the two path columns of `system.databases`, which reveal where the product is installed and cannot be hidden
 * in another way. `values` are the parameters, which may be names.
 * @throws Error in the engine's words
 */
export function refusePaths(sql: string, values: readonly string[]): void {
  const all = tokensOf(sql)
  // SHOW DATABASES does not use the table, but what follows it may.
  const tokens = wordOf(all[0]) === 'show' ? all.slice(2) : all
  const named = [
    ...tokens.filter(({ kind }) => kind === 'word' || kind === 'name').map(({ value }) => value),
    ...values,
  ]
  if (!named.some((name) => databasesTable.test(name.trim()))) return
  const isWide = tokens.some((token) => token.raw === '*' || wordOf(token) === 'columns')
  if (isWide || named.some((name) => pathColumn.test(name.trim())))
    throw toRefusal('columns of system.databases must be named, and paths are not allowed')
}

/** Whether a SETTINGS clause begins at token `i`. */
const isSettings = (tokens: readonly Token[], i: number): boolean =>
  wordOf(tokens[i]) === 'settings' && ['word', 'name'].includes(tokens[i + 1]?.kind ?? '') && tokens[i + 2]?.raw === '='

function refuseToken(tokens: readonly Token[], { kind, raw, value }: Token, i: number): void {
  if (kind !== 'word' && kind !== 'name') return
  const word = value.toLowerCase()
  if (isTelling(tokens, word, i) || (kind === 'word' && isHidden(tokens, word, i)))
    throw toRefusal(`the word ${raw} is not allowed`)
  if (kind === 'word' && isSettings(tokens, i))
    throw toRefusal('SETTINGS is not allowed; a few settings can be sent with the request')
}

/** A function can be used without a call: `APPLY file`. A table function is always called. */
function isTelling(tokens: readonly Token[], word: string, i: number): boolean {
  const isCalled = tokens[i + 1]?.raw === '('
  if (telling.has(word)) return isCalled || tokens[i - 1]?.raw !== '.'
  return isCalled && tellingTableFunctions.has(word)
}

const killKinds = /^(?:query|mutation|transaction|part_move_to_shard)$/

/** Words of statements that no query contains. */
function isHidden(tokens: readonly Token[], word: string, i: number): boolean {
  if (word === 'explain') return i > 0 && tokens[i - 1]!.raw === '('
  if (word === 'kill') return killKinds.test(wordOf(tokens[i + 1]))
  return word === 'outfile' || word === 'infile'
}
