/** What reaches out of the engine: files, programs, other machines. The product asks for none of it in its statements. */
import { tokensOf, type Token } from './lexer.ts'
import { refusal } from './error-codes.ts'

/** Table functions that read what is of the engine's own making, and reach nothing. */
export const innerTableFunctions: ReadonlySet<string> = new Set(
  `fuzzjson fuzzquery generaterandom generateseries generate_series null numbers numbers_mt primes sqlstandardvalues values view
   viewifpermitted zeros zeros_mt`.split(/\s+/),
)

/** Table functions that read files or other machines, run programs, or run a text as a statement. */
export const outerTableFunctions: ReadonlySet<string> = new Set(
  `arrowflight arrowstream azureblobstorage azureblobstoragecluster cluster clusterallreplicas cosn deltalake deltalakeazure
   deltalakeazurecluster deltalakecluster deltalakelocal deltalakes3 deltalakes3cluster eval executable file filecluster filesystem
   gcs hdfs hdfscluster hive hudi hudicluster iceberg icebergazure icebergazurecluster icebergcluster iceberghdfs iceberghdfscluster
   iceberglocal iceberglocalcluster icebergs3 icebergs3cluster jdbc mongodb mysql odbc oss paimon paimonazure paimonazurecluster
   paimoncluster paimonhdfs paimonhdfscluster paimonlocal paimons3 paimons3cluster postgresql redis remote remotesecure s3 s3cluster
   sqlite url urlcluster ytsaurus`.split(/\s+/),
)

/** Functions that read files, run models or ask services of other machines. */
export const outerFunctions: ReadonlySet<string> = new Set(
  `aiclassify aiembed aiextract aigenerate aitranslate catboostevaluate file`.split(/\s+/),
)

/** Cheap: most statements have none of the words, and need no closer look. */
const suspect = new RegExp(
  `\\b(?:${[...outerTableFunctions, ...outerFunctions].join('|')})\\b["\`]?\\s*(?:\\(|/\\*|--)|[\`"]\\w*\\\\|outfile|infile|\\bapply\\b`,
  'i',
)

/**
 * The full door's own check: no statement that comes in reads files, runs programs or asks other machines.
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
