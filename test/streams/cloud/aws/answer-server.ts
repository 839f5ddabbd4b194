/** A far side on loopback whose answers a test gives, by what the protocol calls the operation: for what stand-ins with state do not do. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { AwsOptions } from '#streams/cloud/aws/session/session.ts'
import { Caller, type CallerOptions } from '#streams/cloud/call/call.ts'
import { systemClock } from '#engine/clock.ts'

export interface Answer {
  status: number
  body: string
}

export interface AnswerServer {
  options: AwsOptions
  /** Operations asked for, signing in left out. */
  asked: string[]
  /** How often a role was assumed. */
  signIns: () => number
  /** The region that each request was signed for, those that sign in included. */
  regions: string[]
  close: () => Promise<void>
}

const signIn: Answer = {
  status: 200,
  body:
    '<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials>' +
    '<AccessKeyId>AKIA</AccessKeyId><SecretAccessKey>secret</SecretAccessKey><SessionToken>token</SessionToken>' +
    '<Expiration>2099-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>',
}

/** `times`: how often the operation was asked for before. */
export async function answerServer(
  answers: (operation: string, times: number) => Answer,
  rules: CallerOptions['rules'] = {},
): Promise<AnswerServer> {
  const asked: string[] = []
  const regions: string[] = []
  let signIns = 0
  const server: Server = createServer(async (request, response) => {
    const target = String(request.headers['x-amz-target'] ?? '').split('.')[1]
    const operation = new URLSearchParams(await text(request)).get('Action') ?? target ?? ''
    regions.push(/Credential=[^/]+\/\d+\/([a-z0-9-]+)\//.exec(request.headers.authorization ?? '')?.[1] ?? '')
    const times = asked.filter((one) => one === operation).length
    if (operation === 'AssumeRole') signIns++
    else asked.push(operation)
    const { status, body } = operation === 'AssumeRole' ? signIn : answers(operation, times)
    response.writeHead(status, { 'content-type': 'text/xml' }).end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const caller = new Caller({
    clock: systemClock,
    meter: { made: () => {} },
    random: () => 1,
    rules: { pausesMs: { first: 1, doubledTo: 10_000 }, ...rules },
  })
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    options: { caller, endpoint, base: async () => ({ accessKeyId: 'AKIA', secretAccessKey: 'secret' }) },
    asked,
    regions,
    signIns: () => signIns,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** An error as EC2 writes it. */
export const ec2Error = (status: number, code: string): Answer => ({
  status,
  body: `<Response><Errors><Error><Code>${code}</Code><Message>${code}</Message></Error></Errors><RequestID>1</RequestID></Response>`,
})

export const ec2Answer = (operation: string, body: string): Answer => ({
  status: 200,
  body: `<${operation}Response xmlns="http://ec2.amazonaws.com/doc/2016-11-15/">${body}</${operation}Response>`,
})

export const machineIn = (state: string): Answer =>
  ec2Answer(
    'DescribeInstances',
    `<reservationSet><item><instancesSet><item><instanceId>i-1</instanceId><instanceType>m5.large</instanceType>` +
      `<instanceState><name>${state}</name></instanceState></item></instancesSet></item></reservationSet>`,
  )
