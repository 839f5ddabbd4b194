import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { budgetExceeded, message } from '#test/harness/notice.ts'
import { outbox, smtp } from '#streams/delivery/email.ts'
import { mailBody } from '#streams/delivery/format/email.ts'
import type { DeliveryOutcome } from '#streams/delivery/outcome.ts'
import { postMail } from '#streams/delivery/post.ts'

const delivered: DeliveryOutcome = { outcome: 'delivered', responseStatus: 0, message: '' }
const answered = (outcome: DeliveryOutcome['outcome'], code: number): DeliveryOutcome => ({
  outcome,
  responseStatus: 0,
  message: `The mail server returned ${code}.`,
})
const refusing = (responseCode: number): Error => Object.assign(new Error(`no ana@example.com`), { responseCode })
const unsubscribe = 'https://tidemark.example/notifications/unsubscribe?token=u.v'
const notice = message(budgetExceeded, { unsubscribe })

describe('a mail of a notification', () => {
  let received: { text: string; to: string[] }[] = []
  const servers: SMTPServer[] = []
  afterEach(() => {
    for (const server of servers.splice(0)) server.close()
    received = []
  })
  const serving = async (options: SMTPServerOptions = {}) => {
    const server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      onData: (stream, { envelope }, done) => {
        let text = ''
        stream.on('data', (chunk: Buffer) => (text += chunk.toString()))
        stream.on('end', () => {
          received.push({ text, to: envelope.rcptTo.map(({ address }) => address) })
          done()
        })
      },
      ...options,
    })
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.server.address() as AddressInfo
    return smtp(`smtp://127.0.0.1:${port}/?ignoreTLS=true`, 'Tidemark <no-reply@example.com>')
  }
  const headOf = (text: string): string[] =>
    text
      .slice(0, text.indexOf('\r\n\r\n'))
      .replace(/\r\n[ \t]+/g, ' ')
      .split('\r\n')

  it('has text, HTML and a way out of one click, and the same id on every try [NOTIF-56]', async () => {
    const email = await serving()
    expect(await postMail(email, 'ana@example.com', notice)).to.deep.equal(delivered)
    expect(await postMail(email, 'ana@example.com', notice)).to.deep.equal(delivered)
    for (const { text, to } of received) {
      expect(to).to.deep.equal(['ana@example.com'])
      const head = headOf(text).filter((line) => !/^(?:Date|Content-Type|MIME-Version):/.test(line))
      expect(head.toSorted()).to.deep.equal([
        'From: Tidemark <no-reply@example.com>',
        'List-Unsubscribe-Post: List-Unsubscribe=One-Click',
        `List-Unsubscribe: <${unsubscribe}>`,
        'Message-ID: <d-1@tidemark>',
        'Subject: The budget of team Payments is exceeded',
        'To: ana@example.com',
      ])
      expect(text).to.match(/^Content-Type: text\/plain; charset=utf-8/m)
      expect(text).to.match(/^Content-Type: text\/html; charset=utf-8/m)
    }
    expect(received).to.have.length(2)
  })

  it('has one header a header, whatever stands in a title or an address', async () => {
    const email = await serving()
    const title = 'a\r\nBcc: eve@evil.example\r\n\r\nbody\u2028x'
    const hostile = message({ ...budgetExceeded, title })
    expect(await postMail(email, 'ana@example.com', hostile)).to.deep.equal(delivered)
    expect(received[0]!.to).to.deep.equal(['ana@example.com'])
    const head = headOf(received[0]!.text)
    expect(head.filter((line) => /^(?:Bcc|To|Subject):/i.test(line))).to.deep.equal([
      'To: ana@example.com',
      'Subject: a Bcc: eve@evil.example body x',
    ])
    const refused: DeliveryOutcome = {
      outcome: 'final',
      responseStatus: 0,
      message: 'The email address is not valid.',
    }
    for (const to of [
      '',
      'ana',
      'ana@example.com, eve@evil.example',
      'ana@example.com\r\nBcc: eve@evil.example',
      'Eve <eve@evil.example>',
      'ana@example.com>\u0000',
      '"a b"@example.com',
      'a@b@example.com',
    ])
      expect(await postMail(email, to, notice), to).to.deep.equal(refused)
    expect(received).to.have.length(1)
  })

  it('is given up when the server refuses the recipient for good', async () => {
    const email = await serving({ onRcptTo: (_address, _session, done) => done(refusing(550)) })
    expect(await postMail(email, 'ana@example.com', notice)).to.deep.equal(answered('final', 550))
  })

  for (const [what, options, code] of [
    ['the recipient cannot be reached now', { onRcptTo: (_address, _session, done) => done(refusing(450)) }, 450],
    ['the sender is refused', { onMailFrom: (_address, _session, done) => done(refusing(553)) }, 553],
    [
      'the mail is refused',
      {
        onData: (stream, _session, done) => {
          stream.on('end', () => done(refusing(554)))
          stream.resume()
        },
      },
      554,
    ],
  ] as const satisfies readonly (readonly [string, SMTPServerOptions, number])[])
    it(`is tried again when ${what}`, async () => {
      const email = await serving(options)
      expect(await postMail(email, 'ana@example.com', notice)).to.deep.equal(answered('retry', code))
    })

  it('is tried again when there is no server', async () => {
    const email = smtp('smtp://127.0.0.1:1/?ignoreTLS=true', 'x@example.com')
    expect(await postMail(email, 'ana@example.com', notice)).to.deep.equal({
      outcome: 'retry',
      responseStatus: 0,
      message: 'The email could not be sent.',
    })
  })

  it('is a line of the outbox file with its HTML and headers', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'tidemark-notice-'))
    const file = path.join(folder, 'mails.jsonl')
    const report = { info: () => {}, warn: () => {}, error: () => {} }
    const email = outbox(file, () => new Date('2026-01-16T05:00:00Z'), report)
    expect(await postMail(email, 'ana@example.com', notice)).to.deep.equal(delivered)
    const line = JSON.parse(readFileSync(file, 'utf8')) as object
    rmSync(folder, { recursive: true })
    expect(line).to.deep.equal({ at: '2026-01-16T05:00:00.000Z', to: 'ana@example.com', ...mailBody(notice) })
    expect(line).to.include.keys('html', 'headers')
  })
})
