// tier: deep
/** The document under a linter of others: Redocly's rules for OpenAPI, those that it recommends. */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { root } from '#config/process/root.ts'
import { routes, site } from '#http/index.ts'
import { documentOf } from '#http/site/document.ts'
import { noEdge } from '#test/harness/site.ts'
import { testFolder } from '#test/harness/stores.ts'

/** What the linter cannot know. */
const exceptions = [
  // Its identity providers send a browser here, which is led on: nothing else is answered.
  'operation-2xx-response #/paths/~1auth~1saml~1acs/post/responses',
  'operation-2xx-response #/paths/~1auth~1oidc~1{orgID}~1callback/get/responses',
  // The interface has these paths. The edge takes the one whose fixed segment comes first.
  'no-ambiguous-paths #/paths/~1recommendations~1{recID}~1detail',
  'no-ambiguous-paths #/paths/~1recommendations~1{recID}~1history',
  'no-ambiguous-paths #/paths/~1recommendations~1{recID}~1viewed',
  'no-ambiguous-paths #/paths/~1recommendations~1{recID}~1workflow',
]

interface Found {
  ruleId: string
  message: string
  location: { pointer: string }[]
}

describe('the document, linted', () => {
  it('has no finding', () => {
    const folder = testFolder()
    const all = site(routes, { version: '1', ready: async () => [], within: noEdge })
    const document = documentOf(all, { version: '1', url: 'https://tidemark.test' })
    writeFileSync(path.join(folder, 'openapi.json'), JSON.stringify(document))
    writeFileSync(path.join(folder, 'redocly.yaml'), 'extends: [recommended]\n')
    const cli = path.join(root, 'node_modules/@redocly/cli/bin/cli.js')
    const args = [cli, 'lint', 'openapi.json', '--config=redocly.yaml', '--format=json', '--max-problems=1000']
    // It asks nobody for newer versions, and tells nobody that it runs.
    const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
    const { stdout } = spawnSync(process.execPath, args, {
      cwd: folder,
      env,
      encoding: 'utf8',
      maxBuffer: 64 * 2 ** 20,
    })
    const { problems } = JSON.parse(stdout) as { problems: Found[] }
    const placed = problems.map(({ ruleId, location: [at] }) => `${ruleId} ${at?.pointer}`)
    expect(placed.toSorted()).to.deep.equal(exceptions.toSorted())
  })
})
