/** docs/generated/events.md: every event type with its data, read from the catalogue. */
import { eventPrefixes, eventSchemas, eventVersions, inputEventTypes } from '../../../events/catalogue.ts';

type JsonSchema = Record<string, unknown>;

/** A schema as a short type: `string`, `integer`, `array of string`, `one of a, b`, `{ a, b? }`. */
export const schemaText = (schema: JsonSchema): string => {
  if (Array.isArray(schema.enum))
    return schema.enum.length > 6 ? `one of ${schema.enum.length} names` : schema.enum.join(' or ');
  if (Array.isArray(schema.anyOf))
    return schema.anyOf.map((one) => schemaText(one as JsonSchema)).join(' or ');
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.type === 'array') return `list of ${schemaText(schema.items as JsonSchema)}`;
  if (schema.type === 'object') {
    if (schema.properties === undefined)
      return `map of ${schemaText(schema.additionalProperties as JsonSchema)}`;
    const required = schema.required as string[];
    const names = Object.keys(schema.properties as object);
    return `{ ${names.map((name) => (required.includes(name) ? name : `${name}?`)).join(', ')} }`;
  }
  return typeof schema.type === 'string' ? schema.type : 'any JSON';
};

const cell = (text: string): string => text.replaceAll('|', '\\|');

const eventSection = (type: keyof typeof eventSchemas): string => {
  const schema = eventSchemas[type] as JsonSchema;
  const properties = schema.properties as Record<string, JsonSchema>;
  const required = schema.required as string[];
  const kind = (inputEventTypes as readonly string[]).includes(type) ? 'input' : 'derived';
  const rows = Object.entries(properties).map(
    ([name, one]) =>
      `| \`${name}\`${required.includes(name) ? '' : ' (optional)'} | ${cell(schemaText(one))} |\n`,
  );
  const table = rows.length === 0 ? 'No data.\n' : `| field | type |\n| --- | --- |\n${rows.join('')}`;
  return `### \`${type}\`\n\nVersion ${eventVersions[type] ?? 1}, ${kind}.\n\n${table}`;
};

export const eventsPage = (): string => {
  const types = Object.keys(eventSchemas) as Array<keyof typeof eventSchemas>;
  const groups = eventPrefixes
    .map((prefix) => ({ prefix, members: types.filter((type) => type.startsWith(`${prefix}.`)) }))
    .filter(({ members }) => members.length > 0);
  return (
    `# Events\n\n${types.length} types. \`input\` events come from outside; \`derived\` ones follow from them, and a replay compares each.\n` +
    groups.map(({ prefix, members }) => `\n## ${prefix}\n\n${members.map(eventSection).join('\n')}`).join('')
  );
};
