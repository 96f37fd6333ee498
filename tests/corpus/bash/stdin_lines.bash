# Lines from stdin: fields, blank lines, a last line without newline, numbers summed.
read -r header
echo "header: [$header]"
total=0 number=0
while IFS='=' read -r name value || [[ -n $name ]]; do
  ((++number))
  if [[ $value =~ ^-?[0-9]+$ ]]; then
    ((total += value))
  else
    echo "line $number: '$name' has no number but '$value'"
  fi
done
echo "total $total of $number"
read -r more || echo "end of input: $?"
