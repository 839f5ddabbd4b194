import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { SMTPServer } from 'smtp-server'
import { Fault } from '#engine/value/fault.ts'
import { mailWork } from '#actors/notification/mail.ts'
import { outbox, smtp } from '#streams/delivery/email.ts'

const mail = { to: 'ana@example.com', subject: '123456 is your code', text: 'Your code is 123456.' }

/** A mail server that takes one user, and what it was given. */
async function server(): Promise<{ port: number; received: string[]; connections: () => number; close: () => void }> {
  const received: string[] = []
  let connections = 0
  const smtpServer = new SMTPServer({
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    onConnect: (_session, done) => {
      connections++
      done()
    },
    onAuth: ({ username, password }, _session, done) =>
      username === 'u' && password === 'p' ? done(null, { user: 'u' }) : done(new Error('no')),
    onData: (stream, _session, done) => {
      let text = ''
      stream.on('data', (chunk: Buffer) => (text += chunk.toString()))
      stream.on('end', () => {
        received.push(text)
        done()
      })
    },
  })
  await new Promise<void>((resolve) => smtpServer.listen(0, '127.0.0.1', resolve))
  const { port } = smtpServer.server.address() as AddressInfo
  return { port, received, connections: () => connections, close: () => smtpServer.close() }
}

/** What is reported, how severe it is first. */
function listening() {
  const said: [level: string, fields: object][] = []
  const at = (level: string) => (fields: object) => void said.push([level, fields])
  return { said, report: { info: at('info'), warn: at('warn'), error: at('error') } }
}

describe('mail', () => {
  it('goes out over SMTP with its id, so that a repeat is known as one', async () => {
    const { port, received, close } = await server()
    const deliver = smtp(`smtp://u:p@127.0.0.1:${port}/?ignoreTLS=true`, 'Tidemark <no-reply@example.com>')
    await deliver.send(mail, 'mail:1')
    await deliver.send(mail, 'mail:1')
    close()
    expect(received).to.have.length(2)
    for (const text of received) {
      expect(text).to.match(/^From: Tidemark <no-reply@example\.com>$/m)
      expect(text).to.match(/^To: ana@example\.com$/m)
      expect(text).to.match(/^Subject: 123456 is your code$/m)
      expect(text).to.match(/^Message-ID: <mail\.1@tidemark>$/m)
      expect(text).to.contain('Your code is 123456.')
    }
  })

  it('goes out with others by a few connections, however many there are at once', async () => {
    const { port, received, connections, close } = await server()
    const { send } = smtp(`smtp://u:p@127.0.0.1:${port}/?ignoreTLS=true`, 'no-reply@example.com')
    await Promise.all(Array.from({ length: 60 }, (_, n) => send({ ...mail, to: `p${n}@example.com` }, `mail:${n}`)))
    close()
    expect(new Set(received.map((text) => /^To: (.*)$/m.exec(text)![1]))).to.have.property('size', 60)
    expect(connections()).to.be.within(1, 8)
  })

  it('is tried again when the server refuses, and nobody gets one without an address', async () => {
    const { port, received, close } = await server()
    const deliver = smtp(`smtp://u:wrong@127.0.0.1:${port}/?ignoreTLS=true`, 'x@example.com')
    const report = { info: () => {}, warn: () => {}, error: () => {} }
    const work = mailWork({ channels: { email: deliver }, open: (_column, _orgId, text) => JSON.parse(text), report })
    const call = { key: 'mail:1', orgId: '', attempt: 1, signal: new AbortController().signal }
    const failure = await work.run({ sealed: JSON.stringify(mail) }, call).catch((error: unknown) => error)
    expect(Fault.from(failure).retryable).to.equal(true)
    await work.run({ sealed: JSON.stringify({ ...mail, to: '' }) }, call)
    close()
    expect(received).to.deep.equal([])
  })

  it('is a line of a file for the owner’s eyes where there is no server, and a log line says where', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'tidemark-mail-'))
    const file = path.join(folder, 'outbox', 'mails.jsonl')
    const { said, report } = listening()
    const deliver = outbox(file, () => new Date('2026-01-15T10:00:00Z'), report)
    await deliver.send(mail, 'mail:1')
    await deliver.send({ ...mail, to: 'ben@example.com' }, 'mail:2')
    const lines = readFileSync(file, 'utf8').trim().split('\n')
    expect(lines.map((line) => JSON.parse(line) as object)).to.deep.equal([
      { at: '2026-01-15T10:00:00.000Z', ...mail },
      { at: '2026-01-15T10:00:00.000Z', ...mail, to: 'ben@example.com' },
    ])
    expect(statSync(file).mode & 0o777).to.equal(0o600)
    expect(said).to.deep.equal([
      ['warn', { file }],
      ['info', { file }],
    ])
    rmSync(folder, { recursive: true })
  })

  it('goes into the file without a warning where that was to be expected', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'tidemark-mail-'))
    const file = path.join(folder, 'mails.jsonl')
    const { said, report } = listening()
    await outbox(file, () => new Date(), report, true).send(mail, 'mail:1')
    expect(said).to.deep.equal([['info', { file }]])
    rmSync(folder, { recursive: true })
  })
})
