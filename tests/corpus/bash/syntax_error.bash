# A syntax error stops the script where it is read; what stood before has run.
echo "printed before"
if true; then
  echo "never"
fi fi
echo "never"
