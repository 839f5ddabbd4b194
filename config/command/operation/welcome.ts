import { analystExample, exportLines } from '#config/demo/tour.ts'
import type { Demo } from '#config/demo/demo.ts'

export interface Addresses {
  url: string
  /** The console; with a demo, a link that signs its owner in once. */
  console: string
  nats: string
  /** ClickHouse for analysts; undefined where it is not served. */
  analysts: string | undefined
  /** The file that mails are written to; undefined where a mail server is set. */
  mails?: string | undefined
}

/** What `npm start` prints once the product runs: lines to paste into another terminal, then at most eight more. */
export function welcome(at: Addresses, demo: Demo | undefined): string {
  const { url, analysts } = at
  const exported = exportLines({
    url,
    analysts,
    token: demo?.token,
    orgId: demo?.orgId,
    analystToken: demo?.analystToken,
  })
  return [
    '',
    `Tidemark is running at ${url}`,
    'Paste these lines into another terminal:',
    '',
    ...exported,
    '',
    ...addressLines(at, demo),
    '',
    ...(demo ? demoLines(analysts) : beginLines),
    '',
  ].join('\n')
}

function addressLines({ url, console: page, nats, mails }: Addresses, demo: Demo | undefined): string[] {
  return [
    `Console    ${page}${page.includes('#') ? '  (signs you in, once)' : ''}`,
    `API        ${url}/docs`,
    `NATS       ${demo?.nats ?? nats}  (for producers)`,
    ...(mails === undefined ? [] : [`Mails      ${mails}  (SMTP_URL is not set)`]),
  ]
}

const demoLines = (analysts: string | undefined): string[] => [
  'curl -s -H "Authorization: Bearer $TOKEN" "$URL/reports/summary"',
  ...(analysts === undefined ? [] : [analystExample]),
  'npm run -s tidemark -- demo tour    # more to try',
]

const beginLines = [
  `export ORG=$(npm run -s tidemark -- org create "My company" | awk '{print $NF}')`,
  'export TOKEN=$(npm run -s tidemark -- pat create --org $ORG --role owner)',
  'npm run -s tidemark -- user create EMAIL --org $ORG --role owner',
]
