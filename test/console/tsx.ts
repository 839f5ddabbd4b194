/** Lets Node import the console's components: their markup is compiled as it is for browsers. To be imported before them. */
import { registerHooks } from 'node:module'
import { readFileSync } from 'node:fs'
import { transformSync } from 'esbuild'

registerHooks({
  load(url, context, next) {
    if (!url.endsWith('.tsx')) return next(url, context)
    const text = readFileSync(new URL(url), 'utf8')
    const { code } = transformSync(text, { loader: 'tsx', jsx: 'automatic', jsxImportSource: 'preact' })
    return { format: 'module', source: code, shortCircuit: true }
  },
})
