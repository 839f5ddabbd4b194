import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { provisions as aws } from '#streams/cloud/aws/provision/index.ts'
import { provisions as azure } from '#streams/cloud/azure/provision/index.ts'
import { provisions as gcp } from '#streams/cloud/gcp/provision/index.ts'
import { provisioningKinds } from '#streams/cloud/provision.ts'

describe('the table of kinds and clouds in the documents', () => {
  it('says what each connector offers', () => {
    const page = readFileSync(new URL('../../../../../docs/provisioning.md', import.meta.url), 'utf8')
    const [, table = ''] = /^What each cloud offers:\n\n((?:\|.*\n)+)/m.exec(page) ?? []
    const [head, , ...rows] = table
      .split('\n')
      .slice(0, -1)
      .map((row) =>
        row
          .split('|')
          .slice(1, -1)
          .map((cell) => cell.trim()),
      )
    expect(head).to.deep.equal(['`kind`', 'AWS', 'Google Cloud', 'Azure'])
    expect(rows.map(([kind]) => kind)).to.deep.equal(provisioningKinds.map((kind) => `\`${kind}\``))
    const said = (column: number) =>
      rows.flatMap((cells) => (cells[column] === 'not yet' ? [] : [cells[0]!.replaceAll('`', '')]))
    expect([said(1), said(2), said(3)].map((kinds) => kinds.toSorted())).to.deep.equal(
      [aws, gcp, azure].map((kinds) => [...kinds].toSorted()),
    )
  })
})
