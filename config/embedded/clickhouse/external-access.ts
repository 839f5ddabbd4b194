/** Functions that reach outside the engine: files, programs, other machines. No statement of the product uses them. */
import { tokensOf, type Token } from './lexer.ts'
import { refusal } from './error-codes.ts'

/** Table functions that only produce data themselves and reach nothing outside. */
export const innerTableFunctions: ReadonlySet<string> = new Set(
  `fuzzjson fuzzquery generaterandom generateseries generate_series null numbers numbers_mt primes sqlstandardvalues values view
   viewifpermitted zeros zeros_mt`.split(/\s+/),
)

/** Table functions that read files or other machines, run programs, or execute text as a statement. */
export const outerTableFunctions: ReadonlySet<string> = new Set(
  `arrowflight arrowstream azureblobstorage azureblobstoragecluster cluster clusterallreplicas cosn deltalake deltalakeazure
   deltalakeazurecluster deltalakecluster deltalakelocal deltalakes3 deltalakes3cluster eval executable file filecluster filesystem
   gcs hdfs hdfscluster hive hudi hudicluster iceberg icebergazure icebergazurecluster icebergcluster iceberghdfs iceberghdfscluster
   iceberglocal iceberglocalcluster icebergs3 icebergs3cluster jdbc mongodb mysql odbc oss paimon paimonazure paimonazurecluster
   paimoncluster paimonhdfs paimonhdfscluster paimonlocal paimons3 paimons3cluster postgresql redis remote remotesecure s3 s3cluster
   sqlite url urlcluster ytsaurus`.split(/\s+/),
)

/** Functions that read files, run models or call services on other machines. */
export const outerFunctions: ReadonlySet<string> = new Set(
  `aiclassify aiembed aiextract aigenerate aitranslate catboostevaluate file`.split(/\s+/),
)

/** A cheap first test: most statements contain none of these words and need no tokenizing. */
const suspect = new RegExp(
  `\\b(?:${[...outerTableFunctions, ...outerFunctions].join('|')})\\b["\`]?\\s*(?:\\(|/\\*|--)|[\`"]\\w*\\\\|outfile|infile|\\bapply\\b`,
  'i',
)

/**
 * Refuses statements that read files, run programs or contact other machines. For the product's own statements;
 * `statement.ts` checks analysts'.
 * @throws Error in the engine's words
 */
export function refuseOutside(sql: string): void {
  if (!suspect.test(sql)) return
  const tokens = tokensOf(sql)
  const found = tokens.find((token, i) => reachesOut(tokens, token, i))
  if (found) throw refusal(497, `The service does not use ${found.raw}. (ACCESS_DENIED)`)
}

function reachesOut(tokens: readonly Token[], { kind, value }: Token, i: number): boolean {
  if (kind !== 'word' && kind !== 'name') return false
  const word = value.toLowerCase()
  if (kind === 'word' && (word === 'outfile' || word === 'infile')) return true
  if (word === 'apply') return tokens.slice(i + 1, i + 3).some((next) => outerFunctions.has(next.value.toLowerCase()))
  return tokens[i + 1]?.raw === '(' && (outerTableFunctions.has(word) || outerFunctions.has(word))
}
