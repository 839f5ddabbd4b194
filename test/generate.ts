/** `npm run generate`: writes every generated file, and says which have changed. */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { root } from '#config/process/root.ts'
import { generatedFiles } from '#test/generated.ts'
import { operationsFile, operationTypes } from '#test/console/operations.ts'

const read = (file: string): string | undefined => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

const files = await generatedFiles()
for (const [file, text] of files) {
  if (read(path.join(root, file)) === text) continue
  writeFileSync(path.join(root, file), text)
  console.log(`wrote ${file}`)
}
writeFileSync(operationsFile, operationTypes())
