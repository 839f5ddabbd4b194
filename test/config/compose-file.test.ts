// tier: deep
/** compose.yaml as a parser of the Compose specification reads it. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { load, YAML11_SCHEMA } from 'js-yaml'
import { root } from '#config/process/root.ts'

const compose = load(readFileSync(path.join(root, 'compose.yaml'), 'utf8'), { schema: YAML11_SCHEMA }) as any

/** With the package compose-spec of Python; variables have their defaults. */
function parse(file: object) {
  const input = JSON.stringify(file)
    .replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1')
    .replaceAll(/\$\{\w+:\?[^}]*\}/g, 'p1')
  const program = 'import sys; from compose_spec import PyCompose; PyCompose.from_json(sys.stdin.read())'
  return spawnSync('python3', ['-c', program], { input, encoding: 'utf8' })
}

const isHere = spawnSync('python3', ['-c', 'import compose_spec']).status === 0

describe('compose.yaml', () => {
  if (!isHere) it.skip('compose-spec: SKIPPED, there is none here (pip install compose-spec)')
  else
    it('is a file of the Compose specification', () => {
      const { status, stderr } = parse(compose)
      expect(status, stderr).to.equal(0)
      const edge = { ...compose.services.edge, healthcheck: { tests: [] } }
      expect(parse({ ...compose, services: { ...compose.services, edge } }).status).not.to.equal(0)
    })
})
