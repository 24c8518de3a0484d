// Writes Parquet files of every shape that ctxpack reads, has them compacted, and compares schema, metadata, row count,
// order and values with DuckDB. Prints one line a file; exits with 1 when one differs.
import { execFileSync } from 'node:child_process'
import { DuckDBInstance } from '@duckdb/node-api'

const ctxpack = process.argv[2]
const db = await (await DuckDBInstance.create()).connect()
const ask = async (sql) => (await db.runAndReadAll(sql)).getRowObjectsJson()
const one = async (sql) => Object.values((await ask(sql))[0])[0]

const turn = (k, i) => `{'role': ['user', 'assistant', 'tool'][${i} % 3 + 1], 'content': CASE WHEN ${i} % 3 = 1 THEN NULL ELSE 'row ' || ${k} || ' turn ' || ${i} || repeat(' words of a long answer', ${i} * 7 % 90) END,
  'tool_calls': CASE WHEN ${i} % 3 = 1 THEN [{'id': 'c' || ${i}, 'type': 'function', 'function': {'name': 'read', 'arguments': '{"n": ' || ${i} || '}'}}] END,
  'tool_call_id': CASE WHEN ${i} % 3 = 2 THEN 'c' || (${i} - 1) END, 'weight': CASE WHEN ${i} % 3 = 1 THEN 1.5::DOUBLE END}`
const messages = `CASE WHEN k % 50 = 7 THEN NULL WHEN k % 50 = 8 THEN [] ELSE list_transform(range(3 + k % 120), i -> ${turn('k', 'i')}) END`
const others = `k::BIGINT AS id, CASE WHEN k % 3 = 0 THEN NULL ELSE 'text ' || k END AS note, (k % 7)::UTINYINT AS small,
  TIMESTAMP '2026-01-01' + INTERVAL (k) MINUTE AS at, k::DECIMAL(12,3) / 7 AS price, [k, NULL, k + 1] AS list, {'a': k, 'b': ['x', NULL]} AS pair,
  MAP {'key': k} AS map, encode('blob' || k) AS bytes, k % 2 = 0 AS even, (k / 3.0)::FLOAT AS ratio, uuid() AS uid, DATE '2026-01-01' + k::INT AS day`

const shapes = {
  'list of structs, zstd': { column: 'messages', select: `${others}, ${messages} AS messages`, with: `COMPRESSION zstd, ROW_GROUP_SIZE 512` },
  'column in front, snappy': { column: 'messages', select: `${messages} AS messages, ${others}`, with: `COMPRESSION snappy, ROW_GROUP_SIZE 1024, KV_METADATA {huggingface: '{"info": {"features": {}}}', 'ARROW:schema': 'abc'}` },
  'JSON text, gzip': { column: 'trajectory', select: `${others}, (${messages})::JSON AS trajectory`, with: `COMPRESSION gzip` },
  'text, uncompressed': { column: 'conversations', select: `${others}, to_json(list_transform(range(3 + k % 120), i -> {'from': ['human', 'gpt'][i % 2 + 1], 'value': 'turn ' || i || repeat(' and more', i * 5 % 80)}))::VARCHAR AS conversations`, with: `COMPRESSION uncompressed` },
  'from and value, brotli': { column: 'conversations', select: `${others}, list_transform(range(2 + k % 150), i -> {'from': ['human', 'gpt'][i % 2 + 1], 'value': 'turn ' || i || repeat(' and more', i * 5 % 80)}) AS conversations`, with: `COMPRESSION brotli, PARQUET_VERSION V2` },
  'struct of lists': { column: 'messages', select: `${others}, {'role': list_transform(range(2 + k % 150), i -> ['user', 'assistant'][i % 2 + 1]), 'content': list_transform(range(2 + k % 150), i -> 'turn ' || i || repeat(' and more', i * 5 % 80))} AS messages`, with: `COMPRESSION zstd` },
}

// Rows with several conversations: every one of these columns may change, and no other.
const talk = (n, end) => `list_transform(range(3 + k % ${n}), i -> {'role': ['user', 'assistant'][i % 2 + 1], 'content': 'turn ' || i || repeat(' and more', i * 5 % 80) || CASE WHEN i = 2 + k % ${n} THEN '${end}' ELSE '' END})`
shapes['chosen and rejected'] = { columns: ['chosen', 'rejected'], select: `${others}, 'words ' || k AS prompt, CASE WHEN k % 50 = 7 THEN NULL ELSE ${talk(120, 'good')} END AS chosen, ${talk(90, 'bad')} AS rejected`, with: `COMPRESSION zstd, ROW_GROUP_SIZE 512` }
shapes['in a struct'] = { columns: ['sample'], inner: 'sample.messages', select: `${others}, CASE WHEN k % 50 = 7 THEN NULL ELSE {'source': 's' || k, 'messages': ${talk(120, '.')}, 'n': k} END AS sample`, with: `COMPRESSION snappy` }
shapes['list of JSON texts'] = { columns: ['messages'], select: `${others}, CASE WHEN k % 50 = 7 THEN NULL ELSE list_transform(${talk(120, '.')}, m -> to_json(m)::VARCHAR) END AS messages`, with: `COMPRESSION zstd` }
shapes['object as text'] = { columns: ['messages'], select: `${others}, to_json({'messages': ${talk(120, '.')}, 'n': k})::VARCHAR AS messages`, with: `COMPRESSION zstd` }

let failed = 0
const check = (name, what, ok) => { if (!ok) { failed++; console.log(`FAIL ${name}: ${what}`) } }

const schema = async (file) => JSON.stringify(await ask(`SELECT name, type, repetition_type, num_children, converted_type, scale, precision, field_id, duckdb_type FROM parquet_schema('${file}') OFFSET 1`))
const metadata = async (file) => JSON.stringify((await ask(`SELECT decode(key) AS key, decode(value) AS value FROM parquet_kv_metadata('${file}') ORDER BY key`)))
const codecs = async (file) => JSON.stringify(await ask(`SELECT DISTINCT path_in_schema, compression FROM parquet_metadata('${file}') ORDER BY ALL`))

let n = 0
for (const [name, s] of Object.entries(shapes)) {
  const several = s.columns ?? [s.column]
  const input = `in${++n}.parquet`, same = `same${n}.parquet`, small = `small${n}.parquet`
  await db.run(`COPY (SELECT ${s.select} FROM range(1200) t(k)) TO '${input}' (FORMAT parquet, ${s.with})`)
  const piped = execFileSync('sh', ['-c', `${ctxpack} compact - -o - --context-length 100000000 -q < ${input} > ${same}`])
  execFileSync(ctxpack, ['compact', input, '-o', small, '--context-length', '3000', '--report', `r${n}.json`, '-q', '--fail-on', 'none'], { stdio: 'ignore' })
  for (const out of [same, small]) {
    check(name, `${out}: schema`, await schema(out) === await schema(input))
    check(name, `${out}: metadata`, await metadata(out) === await metadata(input))
    check(name, `${out}: compression`, await codecs(out) === await codecs(input))
    check(name, `${out}: rows`, String(await one(`SELECT count(*) FROM '${out}'`)) === '1200')
    const columns = out === same ? '*' : `* EXCLUDE (${several.join()})`
    const differ = await one(`SELECT count(*) FROM (SELECT ${columns}, row_number() OVER () AS nr FROM '${input}') a POSITIONAL JOIN (SELECT ${columns}, row_number() OVER () AS nr FROM '${out}') b WHERE a IS DISTINCT FROM b`)
    check(name, `${out}: ${differ} rows with other values or in another order`, String(differ) === '0')
  }
  let changed
  for (const column of several) {
    changed = await one(`SELECT count(*) FROM '${input}' a POSITIONAL JOIN '${small}' b WHERE a.${column} IS DISTINCT FROM b.${column}`)
    check(name, `${column}: nothing was compacted`, Number(changed) > 300)
    const nulls = await one(`SELECT count(*) FROM '${input}' a POSITIONAL JOIN '${small}' b WHERE (a.${column} IS NULL) <> (b.${column} IS NULL)`)
    check(name, `${column}: ${nulls} nulls changed`, Number(nulls) === 0)
  }
  if (s.inner) {
    const beside = await one(`SELECT count(*) FROM '${input}' a POSITIONAL JOIN '${small}' b WHERE a.sample.source IS DISTINCT FROM b.sample.source OR a.sample.n IS DISTINCT FROM b.sample.n`)
    check(name, `${beside} structs changed beside the conversation`, Number(beside) === 0)
  }
  const longer = s.column === 'messages' && name !== 'struct of lists'
    ? await one(`SELECT count(*) FROM '${small}' WHERE list_contains(list_transform(messages, m -> m.role IS NULL), true)`) : 0
  check(name, `${longer} rows with a turn without a role`, Number(longer) === 0)
  console.log(`ok   ${name}: ${changed} of 1200 rows compacted`)
}
// A new file: its columns, and what the conversations of a converted one say.
// Rows without a conversation are rejected, which exit code 3 says.
const partly = (...args) => { try { execFileSync(ctxpack, args, { stdio: ['ignore', 'pipe', 'pipe'] }) } catch (e) { if (e.status !== 3) throw e } }
partly('convert', 'in1.parquet', '-o', 'lines.jsonl', '--to', 'openai', '-q')
execFileSync(ctxpack, ['convert', 'lines.jsonl', '-o', 'made.parquet', '--to', 'openai', '-q'])
const made = (await ask(`SELECT column_name FROM (DESCRIBE FROM 'made.parquet')`)).map((r) => r.column_name).join()
check('convert', `columns ${made}`, made === 'messages,metadata,prompt,session_id,tools')
const kept = `SELECT id::VARCHAR, list_transform(messages, m -> {'r': m.role, 'c': m.content, 't': m.tool_calls[1]['function']['arguments']}) FROM 'in1.parquet' WHERE len(messages) > 0`
const wrote = `SELECT session_id, list_transform(messages, m -> {'r': m.role, 'c': m.content, 't': m.tool_calls[1]['function']['arguments']}) FROM 'made.parquet' WHERE len(messages) > 0`
const apart = await one(`SELECT count(*) FROM ((${kept} EXCEPT ALL ${wrote}) UNION ALL (${wrote} EXCEPT ALL ${kept}))`)
check('convert', `${apart} conversations differ`, String(apart) === '0')
console.log('ok   convert to JSON lines and to a new file')
process.exit(failed ? 1 : 0)
