/** Calls that are made of AWS against the table that says what the role must allow. */
import { globSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { prefixes } from '#streams/cloud/aws/fault.ts'
import { awsPermissions } from '#streams/cloud/aws/permissions.ts'
import { modules } from '#streams/cloud/aws/services.ts'

/** Where a call needs another permission than that of its name. */
const others: Readonly<Record<string, string>> = {
  's3:GetBucketLifecycleConfiguration': 's3:GetLifecycleConfiguration',
  's3:PutBucketLifecycleConfiguration': 's3:PutLifecycleConfiguration',
  's3:GetBucketEncryption': 's3:GetEncryptionConfiguration',
  's3:PutBucketEncryption': 's3:PutEncryptionConfiguration',
  's3:HeadBucket': 's3:ListBucket',
  's3:HeadObject': 's3:GetObject',
  's3:ListObjectsV2': 's3:ListBucket',
}

/** What a file asks, by the service that it names before the command. */
function askedIn(text: string): string[] {
  let service = ''
  return [...text.matchAll(/'([a-z0-9-]+)',|new m\.(\w+?)Command/g)].flatMap(([, named, operation]) => {
    if (named !== undefined && Object.hasOwn(modules, named)) service = prefixes[named] ?? named
    const name = `${service}:${operation}`
    return operation === undefined ? [] : [others[name] ?? name]
  })
}

describe('what AWS is asked when it is acted on and measured', () => {
  it('is all in the table of permissions', () => {
    const files = ['act/*', 'access', 'bill*', 'infrastructure', 'object', 'measure*', 'quota', 'scaling-policy']
    const paths = files.flatMap((name) => globSync(`streams/cloud/aws/${name}.ts`))
    const asked = new Set(paths.flatMap((path) => askedIn(readFileSync(path, 'utf8'))))
    const allowed = new Set(awsPermissions.flatMap(({ names }) => names))
    expect(asked.size).to.be.above(100)
    expect([...asked].filter((name) => !allowed.has(name))).to.deep.equal([])
  })
})
